/** The name of the extension of operations in OpenAPI documents. */
export const extension = "x-toolguard"
