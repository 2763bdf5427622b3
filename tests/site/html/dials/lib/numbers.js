// Numbers
export const one = 1;
export const unit = one;
