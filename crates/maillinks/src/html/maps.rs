//! Pictures that are image maps (HTML §4.8.13): what stands for the picture, and its tooltip, is text of those areas that
//! have none of their own. Small areas beside a large one are decoration, or say that they are none.

use std::ops::Range;

use super::elements::Element;
use super::token::Attribute;
use super::{Holds, HtmlReader, Site};

/// Maximum number of such pictures with a host in their text, and of areas.
const MAPS: usize = 16;

/// Maximum number of hosts in the text of a picture, and bytes of the name of a map.
const HOSTS: usize = 4;
const NAME: usize = 64;

/// The image maps of a page.
#[derive(Debug, Default)]
pub(super) struct Maps {
    pictures: Vec<Picture>,
    areas: Vec<Area>,
    /// The name of the map whose areas come.
    open: String,
}

#[derive(Debug)]
struct Picture {
    map: String,
    /// The occurrences of hosts in its text.
    shown: Range<usize>,
}

#[derive(Debug)]
struct Area {
    map: String,
    leads_to: usize,
    size: u64,
}

impl Maps {
    /// Whether what comes later may refer to a picture that was read.
    pub fn are_shown(&self) -> bool {
        !self.pictures.is_empty()
    }

    /// Forgets areas that were handed on.
    pub fn forget_areas(&mut self) {
        self.areas.clear();
    }
}

impl HtmlReader<'_, '_, '_> {
    /// Begins a map.
    pub(super) fn begin_map(&mut self, attributes: &[Attribute]) {
        let name = self.value_of("name", attributes).or_else(|| self.value_of("id", attributes));
        self.maps.open = name_of(&name.unwrap_or_default());
    }

    /// Notes an area, or a picture with a map; `first` is the first occurrence of its attributes.
    pub(super) fn map(&mut self, element: Element, attributes: &[Attribute], first: usize) {
        if element == Element::Area {
            self.area(attributes, first);
        } else if element == Element::Img && self.maps.pictures.len() < MAPS {
            let shows = |site: &Site| matches!(site, Site::Attribute { holds: Holds::Shown, .. });
            let shown = self.first_of(first, HOSTS, shows);
            let map = (!shown.is_empty()).then(|| self.value_of("usemap", attributes)).flatten();
            self.maps.pictures.extend(map.map(|map| Picture { map: name_of(&map), shown }));
        }
    }

    fn area(&mut self, attributes: &[Attribute], first: usize) {
        let has_text = |name: &str| {
            self.value_of(name, attributes).is_some_and(|text| !text.trim_ascii().is_empty())
        };
        let is_bare = !["alt", "title", "aria-label"].into_iter().any(has_text);
        if let Some(leads_to) = self.own_target(first)
            && is_bare
            && self.maps.areas.len() < MAPS
        {
            let coordinates = self.value_of("coords", attributes).unwrap_or_default();
            let (map, size) = (self.maps.open.clone(), size(&coordinates));
            self.maps.areas.push(Area { map, leads_to, size });
        }
    }

    /// Compares what stands for pictures with where their areas lead.
    pub(super) fn compare_maps(&mut self) {
        let maps = std::mem::take(&mut self.maps);
        for picture in &maps.pictures {
            let areas = || maps.areas.iter().filter(|area| area.map == picture.map);
            let largest = areas().map(|area| area.size).max().unwrap_or_default();
            for area in areas().filter(|area| area.size >= largest / 2) {
                for shown in picture.shown.clone() {
                    self.compare_shown(shown, area.leads_to);
                }
            }
        }
    }
}

/// The name of a map, without the sign in front of a reference.
fn name_of(written: &str) -> String {
    let name = written.trim_ascii();
    let name = name.strip_prefix('#').unwrap_or(name);
    name.get(..name.floor_char_boundary(NAME)).unwrap_or_default().to_ascii_lowercase()
}

/// What an area covers: a rectangle what its corners say, other shapes all.
fn size(coordinates: &str) -> u64 {
    let mut numbers = coordinates.split(',').map(|number| number.trim_ascii().parse::<u32>());
    let mut next = || numbers.next().and_then(Result::ok);
    match (next(), next(), next(), next(), numbers.next()) {
        (Some(left), Some(top), Some(right), Some(bottom), None) => {
            u64::from(left.abs_diff(right)) * u64::from(top.abs_diff(bottom))
        }
        _ => u64::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_areas_cover() {
        for (coordinates, covered) in [
            ("0,0,600,400", 240_000),
            (" 10, 10 ,0,0", 100),
            ("", u64::MAX),
            ("1,2,3", u64::MAX),
            ("1,2,3,4,5,6", u64::MAX),
            ("0,0,-1,x", u64::MAX),
        ] {
            assert_eq!(size(coordinates), covered, "{coordinates}");
        }
    }
}
