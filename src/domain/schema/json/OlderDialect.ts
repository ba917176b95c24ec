/** Rewrites the keywords of draft-04 and OpenAPI 3.0 that differ from 2020-12, in place. */

type Node = Record<string, unknown>

/** Replaces `exclusiveMinimum: true` and its `minimum` with the bound itself, and does the same for maximums. */
export const exclusiveBounds = (node: Node): void => {
  for (const [flag, bound] of [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"]
  ] as const) {
    if (typeof node[flag] !== "boolean") continue
    if (node[flag] && typeof node[bound] === "number") {
      node[flag] = node[bound]
      delete node[bound]
    } else delete node[flag]
  }
}

/** Adds `null` to the types and the enum of a schema that is `nullable`. A schema with neither is unchanged. */
export const allowNull = (node: Node): void => {
  if (node["type"] !== undefined) node["type"] = [...new Set([node["type"], "null"].flat())]
  if (Array.isArray(node["enum"]) && !node["enum"].includes(null)) node["enum"] = [...node["enum"], null]
}
