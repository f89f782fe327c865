//! QR codes in pictures: PNG, JPEG, GIF (its first picture).
//!
//! Pictures and codes are decoded by crates that know no bounds of ours, so what they get is bounded first: bytes,
//! sides and pixels of a picture, and the places where a code may be.

mod corners;

use std::collections::BTreeSet;
use std::io::Cursor;

use corners::Place;
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits};
use rqrr::{Grid, SimpleGrid};

use super::guard::guarded;

/// Maximum bytes of a picture that is decoded.
pub const IMAGE_BYTES: usize = 4 << 20;

/// Maximum pixels of a side, and of a picture, that is decoded.
pub const IMAGE_SIDE: u32 = 8_192;
pub const IMAGE_PIXELS: u64 = 4 << 20;

/// Maximum number of pictures of a message that are searched, and their pixels in all. They are counted apart from
/// the steps, which a message has by its bytes: an ordinary picture of few bytes has many pixels.
pub const IMAGES: usize = 16;
pub const IMAGES_PIXELS: u64 = 16 << 20;

/// Maximum memory in bytes for decoding one.
pub const IMAGE_MEMORY: u64 = 64 << 20;

/// Maximum pixels that are searched for codes; a larger picture is scaled down by a whole number.
const SEARCHED: u64 = 1 << 20;

/// Maximum number of codes of a picture that are kept.
const CODES: usize = 8;

/// Steps of a pixel: it is decoded, and read a few times.
const PIXEL_STEPS: u64 = 4;

/// The codes of a picture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picture {
    /// The texts of its codes.
    pub codes: BTreeSet<String>,
    /// Whether it may hold codes and was not searched: beyond the bounds, or damaged.
    pub unread: bool,
    pub steps: u64,
}

/// How many pictures and pixels of a message may still be searched, in all its readings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageBudget {
    images: usize,
    pixels: u64,
}

impl Default for ImageBudget {
    fn default() -> ImageBudget {
        ImageBudget { images: IMAGES, pixels: IMAGES_PIXELS }
    }
}

impl ImageBudget {
    /// For a reading that asks for edits alone: pictures have none.
    pub const NONE: ImageBudget = ImageBudget { images: 0, pixels: 0 };
}

/// The format of a picture, by its first bytes.
pub fn format(opening: &[u8]) -> Option<ImageFormat> {
    match opening {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some(ImageFormat::Png),
        [0xff, 0xd8, 0xff, ..] => Some(ImageFormat::Jpeg),
        [b'G', b'I', b'F', b'8', ..] => Some(ImageFormat::Gif),
        _ => None,
    }
}

/// Searches a picture for codes.
pub fn read(bytes: &[u8], format: ImageFormat, left: &mut ImageBudget) -> Picture {
    let unread = Picture { unread: true, ..Picture::default() };
    if bytes.len() > IMAGE_BYTES || left.images == 0 {
        return unread;
    }
    left.images -= 1;
    // A decoder that panics on hostile bytes must not end the reading of the message.
    guarded(|| pixels(bytes, format, left)).flatten().map_or(unread, |(grey, steps)| {
        let found = guarded(|| codes(&grey)).flatten();
        let unread = found.is_none();
        Picture { codes: found.unwrap_or_default(), unread, steps }
    })
}

/// A picture in shades of grey, on white.
struct Grey {
    width: usize,
    height: usize,
    shades: Vec<u8>,
}

/// The decoded picture, scaled down, and the steps that it took.
fn pixels(bytes: &[u8], format: ImageFormat, left: &mut ImageBudget) -> Option<(Grey, u64)> {
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    let mut limits = Limits::no_limits();
    limits.max_image_width = Some(IMAGE_SIDE);
    limits.max_image_height = Some(IMAGE_SIDE);
    limits.max_alloc = Some(IMAGE_MEMORY);
    reader.limits(limits);
    let decoder = reader.into_decoder().ok()?;
    let (width, height) = decoder.dimensions();
    let count = u64::from(width) * u64::from(height);
    if count == 0 || count > IMAGE_PIXELS.min(left.pixels) {
        return None;
    }
    left.pixels -= count;
    let decoded = DynamicImage::from_decoder(decoder).ok()?.into_luma_alpha8();
    let factor = (1..).find(|by: &u64| count / (by * by) <= SEARCHED).unwrap_or(1);
    let factor = usize::try_from(factor).ok()?;
    let (width, height) = (usize::try_from(width).ok()?, usize::try_from(height).ok()?);
    // What is transparent is white, like the page.
    let shades: Vec<u8> = decoded
        .pixels()
        .map(|pixel| {
            let [shade, alpha] = pixel.0.map(u16::from);
            u8::try_from((shade * alpha + 255 * (255 - alpha)) / 255).unwrap_or(u8::MAX)
        })
        .collect();
    Some((Grey { width, height, shades }.smaller(factor), PIXEL_STEPS * count))
}

impl Grey {
    /// Scales down by the mean of each square of `factor` pixels.
    fn smaller(self, factor: usize) -> Grey {
        if factor <= 1 {
            return self;
        }
        let (width, height) = (self.width / factor, self.height / factor);
        let mut shades = Vec::with_capacity(width * height);
        for y in 0..height {
            for x in 0..width {
                let rows = (0..factor).filter_map(|row| {
                    let start = (y * factor + row) * self.width + x * factor;
                    self.shades.get(start..start + factor)
                });
                let sum: usize = rows.flatten().map(|shade| usize::from(*shade)).sum();
                shades.push(u8::try_from(sum / (factor * factor)).unwrap_or(u8::MAX));
            }
        }
        Grey { width, height, shades }
    }

    /// Which pixels are dark: below the middle between the darkest and the lightest.
    fn dark(&self) -> Vec<bool> {
        let (least, most) = self
            .shades
            .iter()
            .fold((u8::MAX, 0), |(least, most), shade| (least.min(*shade), most.max(*shade)));
        let middle = least.midpoint(most);
        self.shades.iter().map(|shade| *shade <= middle).collect()
    }
}

/// The texts of the codes, dark on light and light on dark. `None` if there are too many corners.
fn codes(grey: &Grey) -> Option<BTreeSet<String>> {
    let mut dark = grey.dark();
    let mut found = BTreeSet::new();
    for _ in 0..2 {
        for place in corners::places(&corners::find(&dark, grey.width)?) {
            if found.len() < CODES {
                found.extend(place.sides().find_map(|side| decoded(grey, &dark, &place, side)));
            }
        }
        dark.iter_mut().for_each(|pixel| *pixel = !*pixel);
    }
    Some(found)
}

/// The text of a code with `side` modules on a side, if there is one at this place.
fn decoded(grey: &Grey, dark: &[bool], place: &Place, side: usize) -> Option<String> {
    let is_dark = |column: usize, row: usize| {
        let (x, y) = place.pixel(side, column, row);
        let inside = x >= 0.0 && y >= 0.0 && x < grey.width as f64 && y < grey.height as f64;
        let at = || y as usize * grey.width + x as usize;
        inside && dark.get(at()).copied().unwrap_or(false)
    };
    let mut text = Vec::new();
    Grid::new(SimpleGrid::from_func(side, is_dark)).decode_to(&mut text).ok()?;
    Some(String::from_utf8_lossy(&text).into_owned())
}

#[cfg(test)]
mod tests;
