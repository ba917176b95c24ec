/** Who may import whom, and how files are cut. Each rule is proven with a planted violation. */
import { assert, describe, it } from "@effect/vitest"
import { violations } from "./support/architecture.ts"
import { sources } from "./support/sources.ts"

const product = sources("src/**/*.ts", "services/**/*.ts", "layers/**/*.ts", "examples/**/*.ts")

/** The violations of files given without their header comment. */
const planted = (files: { readonly [path: string]: string }) =>
  violations(new Map(Object.entries(files).map(([path, source]) => [path, `/** What it is. */\n${source}`])))

/** Asserts that one file with one import breaks exactly this rule, or none. */
const imports = (path: string, specifier: string, reason?: string) =>
  assert.deepStrictEqual(
    planted({ [path]: `import * as X from "${specifier}"\nexport const x = X\n` }),
    reason === undefined ? [] : [`${path} imports ${specifier}: ${reason}`]
  )

describe("architecture", () => {
  it("holds in the sources", () => {
    assert.isAbove(product.size, 0)
    assert.deepStrictEqual(violations(product), [])
  })

  it("keeps files short: the median under 100 lines, nine in ten under 220", () => {
    const lengths = [...product.values()].map((source) => source.split("\n").length).sort((a, b) => a - b)
    assert.isBelow(lengths[Math.floor(lengths.length / 2)] ?? 0, 100)
    assert.isBelow(lengths[Math.floor(lengths.length * 0.9)] ?? 0, 220)
  })

  it("lets the domain import effect alone", () => {
    imports("src/domain/A.ts", "effect/Schema")
    imports("src/domain/A.ts", "#domain/classification/B")
    imports("src/domain/classification/A.ts", "#domain/B")
    imports("src/domain/A.ts", "#services/B", "domain may not import services")
    imports("src/domain/classification/A.ts", "#pipeline/B", "domain may not import pipeline")
    imports("src/domain/A.ts", "gpt-tokenizer", "node: and packages other than effect belong to layers and src/cli")
  })

  it("lets each zone import only what stands before it", () => {
    imports("services/A.ts", "#domain/B")
    imports("services/A.ts", "#pipeline/B", "services may not import pipeline")
    imports("services/A.ts", "#layers/B", "services may not import layers")
    imports("src/pipeline/A.ts", "#services/B")
    imports("src/pipeline/A.ts", "#layers/B", "pipeline may not import layers")
    imports("src/pipeline/A.ts", "#src/Guard", "pipeline may not import face")
    imports("layers/A.ts", "#services/B")
    imports("layers/openai/A.ts", "#pipeline/B", "layers may not import pipeline")
    imports("layers/A.ts", "#src/Guard", "layers may not import face")
    imports("src/A.ts", "#pipeline/B")
    imports("src/A.ts", "#src/operate/B", "face may not import operate")
    imports("src/A.ts", "#layers/B", "face may not import layers")
    imports("src/operate/A.ts", "#src/Guard")
    imports("src/operate/A.ts", "#src/cli/B", "operate may not import cli")
    imports("src/testing.ts", "#src/operate/B")
    imports("src/testing.ts", "#src/Guard", "testing may not import face")
    imports("src/cli/A.ts", "#src/testing", "the barrel is for users, not for us")
    imports("src/operate/A.ts", "#src/mcp/B", "operate may not import mcp")
    imports("src/mcp/A.ts", "#layers/B", "mcp may not import layers")
    imports("src/openapi/A.ts", "#src/Guard")
    imports("src/openapi/A.ts", "#src/operate/B", "openapi may not import operate")
    imports("src/cli/A.ts", "#layers/openai/B")
    imports("src/cli/A.ts", "#src/operate/B")
    imports("src/cli/A.ts", "../../examples/orders/main.ts")
    imports("examples/orders/A.ts", "#src/Guard", "examples may not import face")
    imports("examples/orders/A.ts", "effect-toolguard")
  })

  it("lets the guard import layers in memory and no others", () => {
    imports("src/Guard.ts", "#layers/BudgetsMemory")
    imports("src/Guard.ts", "#layers/BudgetsSql", "face may not import layers")
    imports("src/Guard.ts", "#layers/openai/Memory", "face may not import layers")
    imports("src/Agent.ts", "#layers/BudgetsMemory", "face may not import layers")
  })

  it("keeps node: and platform packages in layers, the command line and examples", () => {
    const reason = "node: and packages other than effect belong to layers and src/cli"
    for (const path of ["src/domain/A.ts", "services/A.ts", "src/pipeline/A.ts", "src/A.ts", "src/operate/A.ts"]) {
      imports(path, "node:fs", reason)
      imports(path, "@effect/platform-node/NodeServices", reason)
    }
    for (const path of ["layers/A.ts", "src/cli/A.ts", "examples/orders/A.ts"]) {
      imports(path, "node:fs")
      imports(path, "@effect/platform-node/NodeServices")
    }
  })

  it("sees types, re-exports and dynamic imports, and no comments", () => {
    const forbidden = (source: string) =>
      assert.lengthOf(planted({ "src/domain/A.ts": `${source}\nexport const a = 1` }), 1)
    forbidden(`import type { B } from "#services/B"`)
    forbidden(`export { B } from "#services/B"`)
    forbidden(`const b = await import("#services/B")`)
    forbidden(`type B = import("#services/B").B`)
    assert.deepStrictEqual(planted({ "src/domain/A.ts": `// import "#services/B"\nexport const a = 1` }), [])
  })

  it("wants single modules and # paths", () => {
    imports("src/domain/A.ts", "effect", "sources import single modules, such as effect/Effect")
    imports("examples/orders/A.ts", "effect")
    imports("src/A.ts", "effect-toolguard", "sources import each other by # paths")
    imports("src/A.ts", "#src/index", "the barrel is for users, not for us")
    imports("src/A.ts", "./B.ts")
    imports("src/A.ts", "./domain/B.ts", "other folders are imported by # paths")
    imports("src/pipeline/A.ts", "../domain/B.ts", "other folders are imported by # paths")
    imports("layers/openai/A.ts", "../B.ts", "other folders are imported by # paths")
    imports("layers/A.ts", "../test/support/B.ts", "test/support/B.ts is outside the sources")
  })

  it("finds a cycle once, also through a type and from one file to itself", () => {
    assert.deepStrictEqual(
      planted({
        "src/domain/A.ts": `import * as B from "./B.ts"\nexport const a = B`,
        "src/domain/B.ts": `import type { C } from "#domain/C"\nexport type B = C`,
        "src/domain/C.ts": `import * as A from "#domain/A"\nexport const c = A`,
        "src/domain/D.ts": `import * as D from "./D.ts"\nexport const d = D`
      }),
      [
        "cycle: src/domain/A.ts → src/domain/B.ts → src/domain/C.ts → src/domain/A.ts",
        "cycle: src/domain/D.ts → src/domain/D.ts"
      ]
    )
  })

  it("allows over 300 lines only with a reason in the header comment", () => {
    const body = "export const a = 1\n".repeat(300)
    assert.deepStrictEqual(violations(new Map([["src/domain/A.ts", `/** What. */\n${body}`]])), [
      "src/domain/A.ts has 301 lines and no reason in its header"
    ])
    assert.deepStrictEqual(
      violations(new Map([["src/domain/A.ts", `/** A table: 300 lines, one a code. */\n${body}`]])),
      []
    )
    assert.deepStrictEqual(violations(new Map([["src/domain/A.ts", `/** What. */\n${body.slice(19)}`]])), [])
  })

  it("wants a header comment, after a shebang too", () => {
    const missing = ["src/cli/main.ts begins without a header comment"]
    assert.deepStrictEqual(violations(new Map([["src/cli/main.ts", "export const a = 1\n/** Late. */"]])), missing)
    assert.deepStrictEqual(violations(new Map([["src/cli/main.ts", "// What.\nexport const a = 1"]])), missing)
    assert.deepStrictEqual(
      violations(new Map([["src/cli/main.ts", "#!/usr/bin/env node\n/** What. */\nexport const a = 1"]])),
      []
    )
  })

  it("wants the reason where a rule is silenced", () => {
    const silenced = (comment: string) => planted({ "src/domain/A.ts": `${comment}\nexport const a = 1` })
    const diagnostics = "effect-diagnostics" // written apart: as a whole it would silence a rule here
    const missing = ["src/domain/A.ts silences a rule without `-- reason`"]
    assert.deepStrictEqual(silenced("// oxlint-disable-next-line typescript/no-explicit-any"), missing)
    assert.deepStrictEqual(silenced(`// @${diagnostics}-next-line globalDate:off`), missing)
    assert.deepStrictEqual(silenced("// @ts-expect-error"), missing)
    assert.deepStrictEqual(silenced(`// @${diagnostics}-next-line globalDate:off -- the real clock is asked here`), [])
  })

  it("refuses names that say nothing and barrels other than those that users import", () => {
    const barrel = `export * from "./A.ts"`
    for (const path of ["src/utils.ts", "layers/openai/helpers.ts", "src/domain/common/A.ts", "services/Util.ts"]) {
      assert.deepStrictEqual(planted({ [path]: "export const a = 1" }), [`${path} has a name that says nothing`])
    }
    assert.deepStrictEqual(planted({ "src/index.ts": barrel }), [])
    assert.deepStrictEqual(planted({ "src/testing.ts": `export { a } from "#src/operate/A"` }), [])
    assert.deepStrictEqual(planted({ "services/All.ts": barrel }), ["services/All.ts is a barrel"])
    assert.deepStrictEqual(planted({ "services/index.ts": "export const a = 1" }), ["services/index.ts is a barrel"])
    assert.deepStrictEqual(planted({ "services/B.ts": `${barrel}\nexport const b = 1` }), [
      "services/B.ts re-exports all of a module"
    ])
    assert.deepStrictEqual(planted({ "services/B.ts": `export { a } from "./A.ts"\nexport const b = 1` }), [])
    assert.deepStrictEqual(planted({ "services/B.ts": `export type * from "./A.ts"\nexport const b = 1` }), [])
  })
})
