/** The extension of operations in documents that we write, and in those that others write for us: `x-toolguard`. */
export const extension = "x-toolguard"
