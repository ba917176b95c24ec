/**
 * Creates names that every provider accepts. Tool names consist of `a-z`, digits and `_`, at most 64 characters.
 * Argument names remain unchanged if they consist of letters, digits and `_.-`.
 */

const maxLength = 64

/**
 * Converts a text such as `getPetById`, `repos/get-content` or `List orders` to snake_case. Can return an empty text.
 */
const snakeCase = (text: string): string =>
  text
    .slice(0, 200)
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, "$1_$2")
    .replaceAll(/[^A-Za-z0-9]+/g, "_")
    .toLowerCase()
    .replaceAll(/^_+|_+$/g, "")
    .slice(0, maxLength)
    .replace(/_+$/, "")

/** Returns a function that makes names unique by adding numbers. */
export const distinct = () => {
  const taken = new Set<string>()
  return (preferred: string): string => {
    let name = preferred
    for (let n = 2; taken.has(name); n++) {
      const end = `_${n}`
      name = preferred.slice(0, maxLength - end.length) + end
    }
    taken.add(name)
    return name
  }
}

/** Returns the name of a tool: the operation's id, or else its method and path. */
export const toolName = (operationId: string | undefined, method: string, path: string): string => {
  const byId = snakeCase(operationId ?? "")
  const name = byId === "" ? snakeCase(`${method}_${path.replaceAll(/[{}]/g, "")}`) : byId
  return /^[a-z]/.test(name) ? name : snakeCase(`${method}_${name}`)
}

/** Returns the name of an argument, unchanged if every provider accepts it. */
export const argumentName = (name: string): string => {
  if (plain.test(name) && name !== "__proto__") return name
  return (
    name
      .slice(0, maxLength)
      .replaceAll(/[^A-Za-z0-9.-]+/g, "_")
      .replaceAll(/^_+|_+$/g, "") || "value"
  )
}

const plain = /^[A-Za-z0-9_.-]{1,64}$/
