use std::io::{Cursor, Write as _};
use std::sync::atomic::AtomicBool;

use super::*;
use image::{DynamicImage, GrayImage, ImageBuffer as Pixels, Luma, LumaA, Rgb};

mod hostile;

const URL: &str = "https://example.com/x";

/// A code with `scale` pixels a module, in a white margin.
fn drawn(text: &str, scale: u32) -> GrayImage {
    let code = qrcode::QrCode::new(text).unwrap();
    let side = u32::try_from(code.width()).unwrap();
    let colours = code.to_colors();
    let margin = 4 * scale;
    let module = |at: u32| at.checked_sub(margin).map(|at| at / scale).filter(|at| *at < side);
    Pixels::from_fn(side * scale + 2 * margin, side * scale + 2 * margin, |x, y| {
        let place = module(x).zip(module(y)).map(|(column, row)| row * side + column);
        let dark = place.is_some_and(|at| colours[at as usize] == qrcode::Color::Dark);
        Luma([if dark { 0 } else { 255 }])
    })
}

fn encoded(picture: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Vec::new();
    picture.write_to(&mut Cursor::new(&mut bytes), format).unwrap();
    bytes
}

fn found(bytes: &[u8]) -> Picture {
    let format = format(bytes).expect("a picture");
    read(bytes, format, &mut ImageBudget::default(), None)
}

#[test]
fn codes_are_read_in_every_format() {
    for kind in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::Gif] {
        for scale in [3, 8] {
            let grey = DynamicImage::from(drawn(URL, scale));
            let picture = match kind {
                ImageFormat::Gif => DynamicImage::from(grey.to_rgba8()),
                _ => grey,
            };
            let read = found(&encoded(&picture, kind));
            assert_eq!(read.codes, [URL.to_owned()].into(), "{kind:?} {scale}");
            assert!(!read.unread && read.steps > 0);
        }
    }
}

/// A PNG of samples of this depth, one, two, three or four a pixel, or an index, whole or by the passes of Adam7.
fn png(picture: &GrayImage, depth: u8, colours: u8, interlaced: bool) -> Vec<u8> {
    let samples = [1, 0, 3, 1, 2, 0, 4][usize::from(colours)];
    let row = |y: u32, columns: &mut dyn Iterator<Item = u32>| {
        let mut bits = Vec::new();
        for x in columns {
            let lit = picture.get_pixel(x, y)[0] > 127;
            for sample in 0..samples {
                // The last of two and of four is opacity.
                let most = lit || samples % 2 == 0 && sample + 1 == samples;
                bits.extend((0..depth).map(|bit| most && (colours != 3 || bit + 1 == depth)));
            }
        }
        let bytes = bits.chunks(8).map(|bits| {
            bits.iter().enumerate().fold(0, |byte, (at, bit)| byte | u8::from(*bit) << (7 - at))
        });
        [0].into_iter().chain(bytes).collect::<Vec<u8>>()
    };
    let (width, height) = picture.dimensions();
    let adam: &[[u32; 4]] = &[
        [0, 8, 0, 8],
        [4, 8, 0, 8],
        [0, 4, 4, 8],
        [2, 4, 0, 4],
        [0, 2, 2, 4],
        [1, 2, 0, 2],
        [0, 1, 1, 2],
    ];
    let passes = if interlaced { adam } else { &[[0, 1, 0, 1]] };
    let mut rows = Vec::new();
    for [x, right, y, down] in passes {
        for y in (*y..height).step_by(*down as usize).filter(|_| *x < width) {
            rows.extend(row(y, &mut (*x..width).step_by(*right as usize)));
        }
    }
    let size = [width.to_be_bytes(), height.to_be_bytes()].concat();
    let header = [&size[..], &[depth, colours, 0, 0, u8::from(interlaced)]].concat();
    let palette = chunk(b"PLTE", &[0, 0, 0, 255, 255, 255]);
    let palette = if colours == 3 { palette } else { Vec::new() };
    let (header, data) = (chunk(b"IHDR", &header), chunk(b"IDAT", &packed(&rows)));
    [b"\x89PNG\r\n\x1a\n", &header[..], &palette, &data, &chunk(b"IEND", b"")].concat()
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

fn chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let mut sum = flate2::Crc::new();
    sum.update(kind);
    sum.update(data);
    let length = u32::try_from(data.len()).unwrap();
    [&length.to_be_bytes(), &kind[..], data, &sum.sum().to_be_bytes()].concat()
}

#[test]
fn codes_are_read_in_every_png() {
    let forms = [(0, &[1, 2, 4, 8, 16][..]), (2, &[8, 16]), (3, &[1, 2, 4, 8]), (4, &[8, 16])];
    for (colours, depths) in forms.into_iter().chain([(6, &[8, 16][..])]) {
        for (depth, interlaced) in depths.iter().flat_map(|depth| [(*depth, false), (*depth, true)])
        {
            for scale in [3, 4] {
                let read = found(&png(&drawn(URL, scale), depth, colours, interlaced));
                assert_eq!(read.codes, [URL.to_owned()].into(), "{colours} {depth} {interlaced}");
                assert!(!read.unread);
            }
        }
    }
    for (width, height) in (1..=9).flat_map(|width| (1..=9).map(move |height| (width, height))) {
        let read = found(&png(&Pixels::new(width, height), 8, 2, true));
        assert!(!read.unread && read.steps == PIXEL_STEPS * u64::from(width * height));
    }
}

#[test]
fn codes_are_read_however_they_are_shown() {
    let grey = drawn(URL, 6);
    let inverted =
        Pixels::from_fn(grey.width(), grey.height(), |x, y| Luma([255 - grey.get_pixel(x, y)[0]]));
    let clear = Pixels::from_fn(grey.width(), grey.height(), |x, y| {
        LumaA([0_u8, 255 - grey.get_pixel(x, y)[0]])
    });
    let coloured = Pixels::from_fn(grey.width(), grey.height(), |x, y| {
        if grey.get_pixel(x, y)[0] == 0 { Rgb([20_u8, 30, 160]) } else { Rgb([250, 240, 200]) }
    });
    for (how, picture) in [
        ("light on dark", DynamicImage::from(inverted)),
        ("on nothing", DynamicImage::from(clear)),
        ("coloured", DynamicImage::from(coloured)),
        ("turned", DynamicImage::from(grey.clone()).rotate90()),
        ("large", DynamicImage::from(drawn(URL, 40))),
    ] {
        let read = found(&encoded(&picture, ImageFormat::Png));
        assert_eq!(read.codes, [URL.to_owned()].into(), "{how}");
    }
    let mut two: GrayImage = Pixels::from_pixel(600, 300, Luma([255]));
    image::imageops::replace(&mut two, &drawn("https://a.example/", 6), 10, 10);
    image::imageops::replace(&mut two, &drawn("https://b.example/", 6), 310, 10);
    let read = found(&encoded(&DynamicImage::from(two), ImageFormat::Png));
    assert_eq!(read.codes.len(), 2, "{read:?}");
}

/// A picture rotated by so many degrees about its middle, on white; pixels are means of their neighbours.
fn tilted(picture: &GrayImage, degrees: f64) -> GrayImage {
    let (sin, cos) = degrees.to_radians().sin_cos();
    let half = f64::from(picture.width()) / 2.0;
    let side = (half * 2.0 * (sin.abs() + cos.abs())).ceil();
    let shade = |x: f64, y: f64| {
        let at = |x: f64, y: f64| {
            let inside = x >= 0.0 && y >= 0.0 && x < half * 2.0 && y < half * 2.0;
            if inside { f64::from(picture.get_pixel(x as u32, y as u32)[0]) } else { 255.0 }
        };
        let (left, top) = ((x - 0.5).floor(), (y - 0.5).floor());
        let (right, low) = (x - 0.5 - left, y - 0.5 - top);
        let row = |y: f64| at(left, y) * (1.0 - right) + at(left + 1.0, y) * right;
        row(top) * (1.0 - low) + row(top + 1.0) * low
    };
    Pixels::from_fn(side as u32, side as u32, |x, y| {
        let (x, y) = (f64::from(x) + 0.5 - side / 2.0, f64::from(y) + 0.5 - side / 2.0);
        Luma([shade(x * cos + y * sin + half, y * cos - x * sin + half) as u8])
    })
}

#[test]
fn tilted_codes_are_read() {
    let long = format!("https://example.com/{}", "a1b2".repeat(40));
    let mut missed = Vec::new();
    for text in [URL, &long] {
        for scale in [4, 6, 9] {
            for degrees in [0, 5, 10, 15, 20, 30, 40, 45, 60, 75, 90, 120, 200, 315] {
                let picture = tilted(&drawn(text, scale), f64::from(degrees));
                let read = found(&encoded(&DynamicImage::from(picture), ImageFormat::Png));
                if read.codes != [text.to_owned()].into() {
                    missed.push((text.len(), scale, degrees));
                }
            }
        }
    }
    assert_eq!(missed, []);
}

#[test]
fn codes_without_the_margin_that_they_should_have_are_read() {
    for scale in [4_u32, 7] {
        for margin in [0, 1, 2] {
            let whole = drawn(URL, scale);
            let cut = (4 - margin) * scale;
            let side = whole.width() - 2 * cut;
            let picture = image::imageops::crop_imm(&whole, cut, cut, side, side).to_image();
            let read = found(&encoded(&DynamicImage::from(picture.clone()), ImageFormat::Png));
            assert_eq!(read.codes, [URL.to_owned()].into(), "{scale} {margin}");
            // On a medium grey background.
            let mut page: GrayImage = Pixels::from_pixel(side + 40, side + 40, Luma([150]));
            image::imageops::replace(&mut page, &picture, 20, 20);
            let read = found(&encoded(&DynamicImage::from(page), ImageFormat::Png));
            assert_eq!(read.codes, [URL.to_owned()].into(), "{scale} {margin} on grey");
        }
    }
}

#[test]
fn pictures_without_codes_have_no_findings() {
    let noise: GrayImage = Pixels::from_fn(500, 500, |x, y| {
        Luma([(x.wrapping_mul(2_654_435_761).wrapping_add(y.wrapping_mul(40_503)) >> 7) as u8])
    });
    let stripes: GrayImage =
        Pixels::from_fn(500, 500, |x, _| Luma([if x % 9 < 4 { 0 } else { 255 }]));
    for picture in [noise, stripes, Pixels::from_pixel(1, 1, Luma([0])), Pixels::new(300, 300)] {
        let read = found(&encoded(&DynamicImage::from(picture), ImageFormat::Png));
        assert_eq!((read.codes.len(), read.unread), (0, false));
    }
}

#[test]
fn pictures_that_are_cut_or_damaged_are_reported() {
    for kind in [ImageFormat::Png, ImageFormat::Gif] {
        let picture = DynamicImage::from(DynamicImage::from(drawn(URL, 4)).to_rgba8());
        let whole = encoded(&picture, kind);
        for length in [8, 20, whole.len() / 2] {
            let read = found(&whole[..length]);
            assert!(read.unread, "{kind:?} {length}");
        }
    }
    for junk in [&b"\x89PNG\r\n\x1a\n"[..], b"\xff\xd8\xff\xe0", b"GIF89a", b"\xff\xd8\xff\xd9"] {
        assert!(found(junk).unread, "{junk:?}");
    }
}

/// A PNG whose header claims this size, without the pixels.
fn claiming(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = encoded(&DynamicImage::from(drawn(URL, 1)), ImageFormat::Png);
    bytes[16..20].copy_from_slice(&width.to_be_bytes());
    bytes[20..24].copy_from_slice(&height.to_be_bytes());
    bytes
}

#[test]
fn absurd_sizes_are_not_decoded() {
    for (width, height) in
        [(0, 0), (1 << 31, 1), (65_535, 65_535), (IMAGE_SIDE + 1, 1), (8_000, 8_000)]
    {
        assert!(found(&claiming(width, height)).unread, "{width} {height}");
    }
    assert!(found(&[&claiming(10, 10)[..], &vec![0; IMAGE_BYTES]].concat()).unread);
}

/// A megabyte of one colour is a kilobyte of PNG.
#[test]
fn a_bomb_takes_what_its_pixels_take() {
    let bomb: GrayImage = Pixels::from_pixel(2_000, 2_000, Luma([0]));
    let bytes = encoded(&DynamicImage::from(bomb), ImageFormat::Png);
    assert!(bytes.len() < 100_000);
    let mut left = ImageBudget::default();
    let read = super::read(&bytes, ImageFormat::Png, &mut left, None);
    assert_eq!((read.unread, read.steps), (false, PIXEL_STEPS * 4_000_000));
    let all = ImageBudget::default();
    let steps = all.steps - PIXEL_STEPS * 4_000_000;
    assert_eq!(left, ImageBudget { images: IMAGES - 1, steps, ..all });
    let wide: GrayImage = Pixels::from_pixel(2_100, 2_100, Luma([0]));
    assert!(found(&encoded(&DynamicImage::from(wide), ImageFormat::Png)).unread);
}

#[test]
fn pictures_of_a_message_and_their_pixels_are_bounded() {
    let small = encoded(&DynamicImage::from(drawn(URL, 3)), ImageFormat::Png);
    let mut left = ImageBudget::default();
    let read =
        |bytes: &[u8], left: &mut ImageBudget| super::read(bytes, ImageFormat::Png, left, None);
    let seen = (0..2 * IMAGES).filter(|_| !read(&small, &mut left).unread).count();
    assert_eq!(seen, IMAGES);
    let large: GrayImage = Pixels::new(2_000, 2_000);
    let large = encoded(&DynamicImage::from(large), ImageFormat::Png);
    let mut left = ImageBudget::default();
    let seen = (0..IMAGES).filter(|_| !read(&large, &mut left).unread).count();
    assert_eq!(seen as u64, IMAGES_PIXELS / 4_000_000);
}
