//! QR codes in pictures: PNG, JPEG, GIF (its first picture).
//!
//! Pictures and codes are decoded by crates that know no bounds of ours, so what they get is bounded first: bytes,
//! sides and pixels of a picture, the places where a code may be, and the modules that are read there.

mod corners;
mod pixels;
mod places;
mod steps;

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

pub use image::ImageFormat;
use pixels::Grey;
use places::Pixels;
use steps::{MODULE_STEPS, MODULES, Steps};

use super::guard::guarded;

/// Maximum bytes of a picture that is decoded.
pub const IMAGE_BYTES: usize = 4 << 20;

/// Maximum pixels of a side of a picture that is decoded.
pub const IMAGE_SIDE: u32 = 8_192;

/// Maximum pixels of a picture that is decoded.
pub const IMAGE_PIXELS: u64 = 4 << 20;

/// Maximum number of pictures of a message that are searched.
pub const IMAGES: usize = 16;

/// Maximum pixels of all of them. They are counted apart from the steps, which a message has by its bytes: an ordinary
/// picture of few bytes has many pixels.
pub const IMAGES_PIXELS: u64 = 16 << 20;

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
    /// Steps that the search took.
    pub steps: u64,
}

/// How many pictures of a message may still be searched, in all its readings, and what steps they may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageBudget {
    images: usize,
    steps: u64,
    /// Steps for the modules of codes that the pixels of their pictures do not pay for.
    modules: u64,
}

impl Default for ImageBudget {
    fn default() -> ImageBudget {
        let steps = IMAGES_PIXELS * PIXEL_STEPS;
        ImageBudget { images: IMAGES, steps, modules: MODULES * MODULE_STEPS }
    }
}

impl ImageBudget {
    /// For a reading that asks for edits alone: pictures have none.
    pub const NONE: ImageBudget = ImageBudget { images: 0, steps: 0, modules: 0 };
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

/// Searches a picture for codes, until `stop` is set.
pub fn read(
    bytes: &[u8],
    format: ImageFormat,
    left: &mut ImageBudget,
    stop: Option<&AtomicBool>,
) -> Picture {
    if bytes.len() > IMAGE_BYTES || left.images == 0 {
        return Picture { unread: true, ..Picture::default() };
    }
    left.images -= 1;
    let mut steps = Steps::new(left.steps, left.modules, stop);
    // A decoder that panics on hostile bytes must not end the reading of the message.
    let grey = guarded(|| pixels::decode(bytes, format, &mut steps)).flatten();
    let found = grey.and_then(|grey| guarded(|| codes(&grey, &mut steps)));
    left.steps -= steps.taken();
    left.modules = steps.modules();
    let (codes, whole) = found.unwrap_or_default();
    Picture { codes, unread: !whole, steps: steps.taken() }
}

/// The texts of the codes, dark on light and light on dark, and whether all places were looked at.
fn codes(grey: &Grey, steps: &mut Steps<'_>) -> (BTreeSet<String>, bool) {
    steps.search(grey.pixels());
    let dark = grey.dark();
    let light: Vec<bool> = dark.iter().map(|pixel| !pixel).collect();
    let (width, height) = (grey.width, grey.height);
    let both = [&dark, &light].map(|dark| Pixels { width, height, dark });
    let mut possible = Vec::new();
    let mut whole = true;
    for pixels in &both {
        let corners = corners::find(pixels.dark, width, steps);
        let found = corners.and_then(|corners| places::possible(pixels, &corners, steps));
        whole = whole && found.is_some();
        possible.extend(found.into_iter().flatten().map(|one| (one, pixels)));
    }
    let (codes, tried) = places::read(possible, steps);
    (codes, whole && tried)
}

#[cfg(test)]
mod tests;
