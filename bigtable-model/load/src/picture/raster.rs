//! A grid as a gray picture.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::heat::Grid;
use crate::num::whole;

/// The gray of a number of rows: 0 for none, and the logarithm of the others up to 255.
pub(super) fn gray(rows: f64, most: f64) -> u8 {
    if rows <= 0.0 {
        return 0;
    }
    let level = rows.ln_1p() / most.ln_1p() * 255.0;
    u8::try_from(whole(level.round())).unwrap_or(255).max(1)
}

/// The grid as a PNG in base64, a pixel for each range and step.
pub(super) fn png(grid: &Grid) -> Result<String, png::EncodingError> {
    let most = grid.highest();
    let places =
        (0..grid.ranges()).flat_map(|range| (0..grid.steps()).map(move |step| (range, step)));
    let pixels: Vec<u8> = places
        .map(|(range, step)| gray(grid.get(range, step), most))
        .collect();
    let side = |side: usize| u32::try_from(side).unwrap_or(u32::MAX);
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, side(grid.steps()), side(grid.ranges()));
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::High);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&pixels)?;
    writer.finish()?;
    Ok(STANDARD.encode(bytes))
}
