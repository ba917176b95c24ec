/** The field of an OpenAPI operation that holds the guard's extension. */
export const extension = "x-toolguard"
