//! What pictures cost that are made to cost much: in steps, never in time.

use super::*;

/// The most that a picture of so many pixels may cost.
fn most(pixels: u64) -> u64 {
    PIXEL_STEPS * pixels + MODULE_STEPS * (pixels / 32 + MODULES)
}

fn shown(picture: GrayImage) -> Picture {
    found(&encoded(&DynamicImage::from(picture), ImageFormat::Png))
}

/// Whether a pixel is dark in a corner that begins at 0, 0.
fn corner(x: u32, y: u32) -> bool {
    let ring = |at: u32| at == 0 || at == 6;
    let (inside, middle) = (x < 7 && y < 7, (2..=4).contains(&x) && (2..=4).contains(&y));
    inside && (ring(x) || ring(y) || middle)
}

/// Corners are combined by threes: a picture full of them is not searched.
#[test]
fn a_picture_full_of_corners_is_not_searched() {
    let full: GrayImage =
        Pixels::from_fn(900, 900, |x, y| Luma([if corner(x % 9, y % 9) { 0 } else { 255 }]));
    let read = shown(full);
    assert!(read.unread && read.codes.is_empty() && read.steps < 5 * 810_000, "{read:?}");
}

/// Twenty-five corners are searched, and hold no code. One beside them is read before they are tried, since its timing
/// patterns are there. Where not all of them were tried, that is said.
#[test]
fn places_cost_what_their_picture_gives() {
    let decoys = |size: u32, step: u32| -> GrayImage {
        Pixels::from_fn(size, size, |x, y| {
            let dark = x / step < 5 && y / step < 5 && corner((x % step) / 4, (y % step) / 4);
            Luma([if dark { 0 } else { 255 }])
        })
    };
    for (size, step) in [(250, 40), (600, 110), (1_000, 160)] {
        let read = shown(decoys(size, step));
        let (pixels, all) = (u64::from(size * size), most(u64::from(size * size)));
        assert!(read.codes.is_empty() && (PIXEL_STEPS * pixels..=all).contains(&read.steps));
        let mut picture = decoys(size + 200, step);
        let beside = i64::from(size);
        image::imageops::replace(&mut picture, &drawn(URL, 4), beside, beside);
        assert_eq!(shown(picture).codes, [URL.to_owned()].into(), "{size} {step}");
    }
    assert!(shown(decoys(1_000, 160)).unread);
}

/// Rows of 1:1:2:1:1 in both colours, each shifted from the one above: none is part of a corner.
#[test]
fn rows_like_corners_are_compared_with_a_few_each() {
    let rows = |width: u32, height: u32, period: u32, shift: u32| -> GrayImage {
        let runs = [1, 1, 2, 1, 1, 2].into_iter().enumerate();
        let shape: Vec<bool> =
            runs.flat_map(|(at, run)| std::iter::repeat_n(at % 2 == 0, run)).collect();
        let at = |x: u32, y: u32| ((x + shift * y) * 8 / period % 8) as usize;
        Pixels::from_fn(width, height, |x, y| Luma([if shape[at(x, y)] { 0 } else { 255 }]))
    };
    for (period, shift) in [(8, 2), (8, 3), (16, 2), (16, 5), (24, 7), (40, 11), (80, 17)] {
        let [half, whole] = [131, 262].map(|height| shown(rows(4_000, height, period, shift)));
        assert!(half.codes.is_empty() && whole.codes.is_empty());
        let pixels = 4_000 * 262;
        assert!(whole.steps < PIXEL_STEPS * pixels * 5 / 4, "{period} {shift}: {}", whole.steps);
        assert!(whole.unread || whole.steps < half.steps * 21 / 10, "{period} {shift}");
    }
}

/// A code that is tried many times, since its corners are, costs no more than its picture may.
#[test]
fn codes_that_cannot_be_corrected_cost_what_their_picture_gives() {
    for (version, columns) in [(5, 4), (20, 3), (40, 2)] {
        let version = qrcode::Version::Normal(version);
        let code = qrcode::QrCode::with_version(URL, version, qrcode::EcLevel::H).unwrap();
        let (side, colours) = (code.width(), code.to_colors());
        let size = u32::try_from(columns * (side + 4)).unwrap();
        let picture: GrayImage = Pixels::from_fn(size, size, |x, y| {
            let [x, y] = [x, y].map(|at| (at as usize % (side + 4)).wrapping_sub(2));
            // Of the lower part nothing is as it was.
            let inside = x < side && y < side;
            let is_dark = inside && colours[y * side + x] == qrcode::Color::Dark;
            let wrong = inside && x > 9 && (9..side - 9).contains(&y) && x * y % 3 == 0;
            Luma([if is_dark == wrong { 255 } else { 0 }])
        });
        let read = shown(picture);
        assert!(read.codes.is_empty(), "{read:?}");
        let pixels = u64::from(size * size);
        assert!(read.steps <= most(pixels), "{columns}: {}", read.steps);
        // They were tried.
        assert!(read.steps > (PIXEL_STEPS + 1) * pixels, "{columns}: {}", read.steps);
    }
}

/// Camera programs do without timing patterns, and read what a mirror shows.
#[test]
fn codes_without_timing_patterns_or_in_a_mirror_are_read() {
    let long = format!("https://example.com/{}", "a1b2".repeat(80));
    for (text, scale) in [(URL, 3), (URL, 6), (&long, 2), (&long, 4)] {
        let mut picture = drawn(text, scale);
        let mirrored = image::imageops::flip_horizontal(&picture);
        assert_eq!(shown(mirrored).codes, [text.to_owned()].into(), "mirrored {scale}");
        let side = picture.width() / scale - 8;
        for at in (8..side - 8).flat_map(|at| [(at, 6), (6, at)]) {
            for (x, y) in (0..scale).flat_map(|x| (0..scale).map(move |y| (x, y))) {
                picture.put_pixel((4 + at.0) * scale + x, (4 + at.1) * scale + y, Luma([255]));
            }
        }
        let read = shown(picture);
        assert_eq!(read.codes, [text.to_owned()].into(), "without timing {scale}");
    }
}

/// Further pictures have what the first ones left for codes.
#[test]
fn codes_of_a_message_are_tried_as_long_as_it_has_steps() {
    let decoys: GrayImage = Pixels::from_fn(600, 600, |x, y| {
        let dark = x / 110 < 5 && y / 110 < 5 && corner((x % 110) / 4, (y % 110) / 4);
        Luma([if dark { 0 } else { 255 }])
    });
    let bytes = encoded(&DynamicImage::from(decoys), ImageFormat::Png);
    let mut left = ImageBudget::default();
    let all = left;
    let read: Vec<Picture> =
        (0..4).map(|_| super::super::read(&bytes, ImageFormat::Png, &mut left, None)).collect();
    let steps: u64 = read.iter().map(|one| one.steps).sum();
    assert_eq!(steps, all.steps - left.steps);
    assert!(steps <= 4 * most(360_000) - 3 * MODULE_STEPS * MODULES);
    assert!(read.last().is_some_and(|last| last.unread && last.steps < 7 * 360_000));
    let code = encoded(&DynamicImage::from(drawn(URL, 8)), ImageFormat::Png);
    let read = super::super::read(&code, ImageFormat::Png, &mut left, None);
    assert_eq!(read.codes, [URL.to_owned()].into());
}

/// Profiles, texts and what the data of a picture hold beyond it are not unpacked: here they are damaged, which is not
/// seen.
#[test]
fn of_a_png_only_the_pixels_are_unpacked() {
    let whole = png(&drawn(URL, 4), 8, 0, false);
    // Behind the signature and the header.
    let (head, rest) = whole.split_at(8 + 25);
    for kind in [b"iCCP", b"zTXt"] {
        for data in [packed(&vec![0; 16 << 20]), b"none".to_vec()] {
            let extra = chunk(kind, &[b"x\0\0", &data[..]].concat());
            let read = found(&[head, &extra, rest].concat());
            assert_eq!((read.codes.len(), read.unread), (1, false));
            assert_eq!(read.steps, found(&whole).steps);
        }
    }
    // Many times the pixels, of which the end is missing.
    let mut data = packed(&vec![0; 1 << 20]);
    data.truncate(data.len() / 2);
    let read = found(&[head, &chunk(b"IDAT", &data), &chunk(b"IEND", b"")].concat());
    assert_eq!((read.codes.len(), read.unread), (0, false));
}

/// What is beyond the screen of a GIF is not decoded.
#[test]
fn a_gif_is_no_larger_than_its_screen() {
    let picture = DynamicImage::from(DynamicImage::from(drawn(URL, 8)).to_rgba8());
    let mut bytes = encoded(&picture, ImageFormat::Gif);
    bytes[6..10].copy_from_slice(&[1, 0, 1, 0]);
    let read = found(&bytes);
    assert_eq!((read.codes.len(), read.unread, read.steps), (0, true, PIXEL_STEPS));
}

#[test]
fn a_set_stop_flag_ends_the_search_of_a_picture() {
    let bytes = encoded(&DynamicImage::from(drawn(URL, 4)), ImageFormat::Png);
    for (stop, seen) in [(false, 1), (true, 0)] {
        let stop = AtomicBool::new(stop);
        let mut left = ImageBudget::default();
        let read = super::super::read(&bytes, ImageFormat::Png, &mut left, Some(&stop));
        assert_eq!((read.codes.len(), read.unread), (seen, seen == 0));
        assert_eq!(read.steps == 0, seen == 0);
    }
}
