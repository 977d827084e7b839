//! Small matrix products, the inside of attention. Sizes are known to be multiples of what the vectors need.

use pulp::Simd;

/// Rows of the result that are held in registers at once.
pub(crate) const ROWS: usize = 4;

/// A matrix to be read: `numbers[row * row_stride + column * column_stride]`.
#[derive(Clone, Copy)]
pub(crate) struct Strided<'a> {
    pub(crate) numbers: &'a [f32],
    pub(crate) row_stride: usize,
    pub(crate) column_stride: usize,
}

/// `out = left * right`, or `out += left * right` when `accumulate`.
///
/// `left` is `[rows, depth]`, `right` `[depth, columns]` with rows `right_stride` apart, `out` `[rows, columns]` with
/// rows `out_stride` apart; `rows` is a multiple of [`ROWS`], `columns` of [`BLOCK`](super::BLOCK).
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "three matrices and their sizes")]
pub(crate) fn matmul<S: Simd>(
    simd: S,
    [rows, depth, columns]: [usize; 3],
    left: Strided<'_>,
    right: &[f32],
    right_stride: usize,
    out: &mut [f32],
    out_stride: usize,
    accumulate: bool,
) {
    let lanes = S::F32_LANES;
    let mut column = 0;
    while column < columns {
        let mut row = 0;
        while row < rows {
            let mut sums = [[simd.splat_f32s(0.0); 2]; ROWS];
            if accumulate {
                for (index, sums) in sums.iter_mut().enumerate() {
                    let start = (row + index) * out_stride + column;
                    let (vectors, _) = S::as_simd_f32s(&out[start..start + 2 * lanes]);
                    *sums = [vectors[0], vectors[1]];
                }
            }
            if left.column_stride == 1 {
                let lines: [&[f32]; ROWS] =
                    core::array::from_fn(|index| &left.numbers[(row + index) * left.row_stride..][..depth]);
                for (step, line) in (0..depth).zip(right.chunks(right_stride)) {
                    add_products(simd, &mut sums, lines.map(|line| line[step]), &line[column..column + 2 * lanes]);
                }
            } else {
                let lines = left.numbers.chunks(left.column_stride);
                for (factors, line) in lines.zip(right.chunks(right_stride)).take(depth) {
                    let factors: &[f32; ROWS] = factors[row..].first_chunk().unwrap();
                    add_products(simd, &mut sums, *factors, &line[column..column + 2 * lanes]);
                }
            }
            for (index, sums) in sums.iter().enumerate() {
                let start = (row + index) * out_stride + column;
                let (vectors, _) = S::as_mut_simd_f32s(&mut out[start..start + 2 * lanes]);
                vectors.copy_from_slice(sums);
            }
            row += ROWS;
        }
        column += 2 * lanes;
    }
}

#[inline(always)]
fn add_products<S: Simd>(simd: S, sums: &mut [[S::f32s; 2]; ROWS], factors: [f32; ROWS], line: &[f32]) {
    let (vectors, _) = S::as_simd_f32s(line);
    let [first, second] = [vectors[0], vectors[1]];
    for (sums, factor) in sums.iter_mut().zip(factors) {
        let factor = simd.splat_f32s(factor);
        sums[0] = simd.mul_add_e_f32s(factor, first, sums[0]);
        sums[1] = simd.mul_add_e_f32s(factor, second, sums[1]);
    }
}

/// `out[column * out_stride + row] = from[row * width + column]` for `rows` rows of `width`.
#[inline(always)]
pub(crate) fn transpose(from: &[f32], width: usize, out: &mut [f32], out_stride: usize) {
    for (row, line) in from.chunks_exact(width).enumerate() {
        for (column, &number) in line.iter().enumerate() {
            out[column * out_stride + row] = number;
        }
    }
}
