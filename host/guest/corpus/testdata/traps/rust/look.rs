/// Does not bear three marks in a row.
#[inline(always)]
pub fn look(marks: i32) {
    if marks > 2 {
        core::arch::wasm32::unreachable();
    }
}
