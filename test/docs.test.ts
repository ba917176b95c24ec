/** Checks that every example in the pages is tested and that links and named paths exist. Tests how examples are read. */
import { assert, describe, it } from "@effect/vitest"
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { blocks, isUntested, moduleOf } from "./support/examples.ts"
import { sources } from "./support/sources.ts"

const documents = sources("README.md", "docs/*.md", "src/**/*.ts", "services/**/*.ts", "layers/**/*.ts", "kit/**/*.ts")
const shown = [...documents].flatMap(([path, text]) => blocks(path, text))

describe("examples", () => {
  it("are all tested", () => {
    assert.isTrue(documents.has("README.md"))
    assert.deepStrictEqual(
      shown.filter(isUntested).map((block) => `${block.path}:${block.line} is fenced as "${block.info}"`),
      []
    )
  })
})

describe("links", () => {
  const pages = [...sources("*.md", "{docs,kit,test}/**/*.md")]

  it("point to existing files and headings, and the README links to every guide", () => {
    const slug = (heading: string) =>
      heading
        .toLowerCase()
        .replace(/[^a-z0-9 -]/gu, "")
        .replaceAll(" ", "-")
    const headings = (path: string) =>
      [...readFileSync(path, "utf8").matchAll(/^#+ (.+)$/gmu)].map(([, heading = ""]) => slug(heading))
    const links = pages.flatMap(([path, text]) =>
      [...text.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)]+))?\)/gu)].map(([link, file = "", heading]) => {
        const target = file === "" ? path : join(dirname(path), file)
        const exists = existsSync(target) && (heading === undefined || headings(target).includes(heading))
        return { from: path, target, fault: exists ? "" : `${path}: ${link}` }
      })
    )
    assert.deepStrictEqual(
      links.map(({ fault }) => fault).filter((fault) => fault !== ""),
      []
    )
    const linked = new Set(links.filter(({ from }) => from === "README.md").map(({ target }) => target))
    assert.deepStrictEqual(
      pages.map(([path]) => path).filter((path) => /^docs\/[^/]+$/u.test(path) && !linked.has(path)),
      []
    )
  })
})

describe("paths", () => {
  it("in pages exist", () => {
    const pages = sources("*.md", "{docs,kit,services}/*.md")
    const named = [...pages].flatMap(([page, text]) =>
      page === "CHANGELOG.md"
        ? []
        : [...text.matchAll(/`((?:src|services|layers|kit|test|scripts|examples)\/[\w./-]+\.\w+)`/gu)].map(
            ([, path = ""]) => ({ page, path })
          )
    )
    assert.isAbove(named.length, 20)
    assert.deepStrictEqual(
      named.filter(({ path }) => !path.includes("NAME") && !existsSync(path)),
      []
    )
  })
})

describe("the reader of examples", () => {
  it("asserts multi-line expressions, constants and multi-line values", () => {
    const lines = (...code: ReadonlyArray<string>) => moduleOf(code.join("\n")).split("\n").slice(0, code.length)
    const head = `import { deepStrictEqual as equal } from "node:assert"; `
    assert.deepStrictEqual(lines("[1, 2]", "  .map((n) => n + 1) // => [2, 3]"), [
      `${head}equal([1, 2]`,
      "  .map((n) => n + 1), [2, 3]) // => [2, 3]"
    ])
    assert.deepStrictEqual(lines("const a = await f() // => { a: 1,", "//      b: 2 }", "// Prose."), [
      `${head}const a = await f(); equal(a, { a: 1,       b: 2 }) // => { a: 1,`,
      "//      b: 2 }",
      "// Prose."
    ])
    assert.deepStrictEqual(lines("f(() => {", "  g(); // => 1", "})", `"// => 2"`), [
      `${head}f(() => {`,
      "  equal(g(), 1); // => 1",
      "})",
      `"// => 2"`
    ])
  })

  it("finds the blocks of Markdown and JSDoc with their lines", () => {
    const source = `/** Header. */\n\n/**\n * Doubles.\n *\n * \`\`\`ts import.meta.vitest\n * double(1) // => 2\n *   indented\n * \`\`\`\n */\nexport const a = "\`\`\`ts"\n`
    assert.deepStrictEqual(blocks("src/A.ts", source), [
      { path: "src/A.ts", line: 7, info: "ts import.meta.vitest", code: "double(1) // => 2\n  indented" }
    ])
    assert.deepStrictEqual(blocks("README.md", "````md\n```ts\nx\n```\n````\n~~~\ny\n~~~\n"), [
      { path: "README.md", line: 2, info: "md", code: "```ts\nx\n```" },
      { path: "README.md", line: 7, info: "", code: "y" }
    ])
  })

  it("reports blocks of TypeScript and JavaScript that no test runs", () => {
    const untested = (info: string) => isUntested({ path: "README.md", line: 1, info, code: "" })
    assert.deepStrictEqual(
      ["ts", "ts ignore", "typescript", "js", "tsx", "ts import.meta.vitest", "sh", "json", "text", ""].map(untested),
      [true, true, true, true, true, false, false, false, false, false]
    )
  })
})
