//! The pixels of a picture, in shades of grey.

use std::io::Cursor;

use image::{ColorType, ImageDecoder, ImageFormat, ImageReader, Limits};
use png::{InterlaceInfo, Transformations};

use super::steps::Steps;
use super::{IMAGE_BYTES, IMAGE_PIXELS, IMAGE_SIDE, PIXEL_STEPS};

/// Maximum pixels that are searched for codes; a larger picture is scaled down by a whole number.
const SEARCHED: u64 = 1 << 20;

/// A picture in shades of grey, on white.
pub struct Grey {
    pub width: usize,
    pub height: usize,
    shades: Vec<u8>,
}

/// The decoded picture, scaled down. Its steps are taken as soon as its size is known.
pub fn decode(bytes: &[u8], format: ImageFormat, steps: &mut Steps<'_>) -> Option<Grey> {
    let grey = match format {
        ImageFormat::Png => png(bytes, steps),
        _ => other(bytes, format, steps),
    }?;
    let count = grey.pixels() as u64;
    let factor = (1..).find(|by: &u64| count / (by * by) <= SEARCHED).unwrap_or(1);
    Some(grey.smaller(usize::try_from(factor).ok()?))
}

/// An empty picture of this size, if it may be decoded.
fn blank(width: u32, height: u32, steps: &mut Steps<'_>) -> Option<Grey> {
    let count = u64::from(width) * u64::from(height);
    let fits = width.max(height) <= IMAGE_SIDE && (1..=IMAGE_PIXELS).contains(&count);
    if !fits || !steps.take(PIXEL_STEPS * count) {
        return None;
    }
    let (width, height) = (usize::try_from(width).ok()?, usize::try_from(height).ok()?);
    Some(Grey { width, height, shades: Vec::new() })
}

/// A PNG is read row by row, to its last one: what its data unpack to beyond that is left alone, and so are profiles
/// and texts.
fn png(bytes: &[u8], steps: &mut Steps<'_>) -> Option<Grey> {
    let limits = png::Limits { bytes: IMAGE_BYTES };
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), limits);
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    // Eight bits a sample.
    decoder.set_transformations(Transformations::EXPAND | Transformations::STRIP_16);
    let header = decoder.read_header_info().ok()?;
    let mut grey = blank(header.width, header.height, steps)?;
    let mut reader = decoder.read_info().ok()?;
    let samples = reader.output_color_type().0.samples();
    let mut left = grey.width * grey.height;
    grey.shades.reserve_exact(left);
    let mut row = Vec::with_capacity(grey.width);
    while left > 0 {
        let read = reader.next_interlaced_row().ok()??;
        row.clear();
        row.extend(read.data().chunks_exact(samples).map(shade));
        left = left.checked_sub(row.len())?;
        match read.interlace() {
            InterlaceInfo::Null(_) => grey.shades.extend_from_slice(&row),
            InterlaceInfo::Adam7(place) => {
                grey.shades.resize(grey.width * grey.height, u8::MAX);
                png::expand_interlaced_row(&mut grey.shades, grey.width, &row, place, 8);
            }
        }
    }
    Some(grey)
}

fn other(bytes: &[u8], format: ImageFormat, steps: &mut Steps<'_>) -> Option<Grey> {
    let reader = ImageReader::with_format(Cursor::new(bytes), format);
    let mut decoder = reader.into_decoder().ok()?;
    let (width, height) = decoder.dimensions();
    let mut grey = blank(width, height, steps)?;
    let size = decoder.total_bytes();
    // A picture in a GIF may be larger than the GIF, and would be decoded as a whole.
    let mut limits = Limits::no_limits();
    limits.max_image_width = Some(IMAGE_SIDE);
    limits.max_image_height = Some(IMAGE_SIDE);
    limits.max_alloc = Some(size);
    decoder.set_limits(limits).ok()?;
    let colours = decoder.color_type();
    if !matches!(colours, ColorType::L8 | ColorType::La8 | ColorType::Rgb8 | ColorType::Rgba8) {
        return None;
    }
    let mut pixels = vec![0; usize::try_from(size).ok()?];
    decoder.read_image(&mut pixels).ok()?;
    let samples = usize::from(colours.channel_count());
    grey.shades = pixels.chunks_exact(samples).map(shade).collect();
    Some(grey)
}

/// The shade of a pixel of one to four samples, the last of two and of four its opacity. What is transparent is white,
/// like the page.
fn shade(pixel: &[u8]) -> u8 {
    // By ITU-R BT.709.
    let luma = |red: u8, green: u8, blue: u8| {
        (2_126 * u32::from(red) + 7_152 * u32::from(green) + 722 * u32::from(blue)) / 10_000
    };
    let (shade, opacity) = match *pixel {
        [shade] => (u32::from(shade), u8::MAX),
        [shade, opacity] => (u32::from(shade), opacity),
        [red, green, blue] => (luma(red, green, blue), u8::MAX),
        [red, green, blue, opacity] => (luma(red, green, blue), opacity),
        _ => (0, 0),
    };
    let opacity = u32::from(opacity);
    u8::try_from((shade * opacity + 255 * (255 - opacity)) / 255).unwrap_or(u8::MAX)
}

impl Grey {
    pub fn pixels(&self) -> usize {
        self.width * self.height
    }

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
    pub fn dark(&self) -> Vec<bool> {
        let (least, most) = self
            .shades
            .iter()
            .fold((u8::MAX, 0), |(least, most), shade| (least.min(*shade), most.max(*shade)));
        let middle = least.midpoint(most);
        self.shades.iter().map(|shade| *shade <= middle).collect()
    }
}
