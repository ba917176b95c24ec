/** The extension of operations in OpenAPI documents: `x-toolguard`. */
export const extension = "x-toolguard"
