/** Checks the rules on imports, file sizes and names, and tests the rules with planted violations. */
import { assert, describe, it } from "@effect/vitest"
import { emptyRooms, violations } from "./support/architecture.ts"
import { randomnessViolations } from "./support/randomness.ts"
import { sources } from "./support/sources.ts"
import { unusedExports } from "./support/unusedExports.ts"

const product = sources("src/**/*.ts", "services/**/*.ts", "layers/**/*.ts", "kit/**/*.ts", "examples/**/*.ts")

/** Adds a header comment to files, and returns their violations. */
const planted = (files: { readonly [path: string]: string }) =>
  violations(new Map(Object.entries(files).map(([path, source]) => [path, `/** What it is. */\n${source}`])))

/** Asserts that a file with one import breaks exactly the rule `reason`, or no rule. */
const imports = (path: string, specifier: string, reason?: string) =>
  assert.deepStrictEqual(
    planted({ [path]: `import * as X from "${specifier}"\nexport const x = X\n` }),
    reason === undefined ? [] : [`${path} imports ${specifier}: ${reason}`]
  )

const outside = "node: and packages other than effect belong to layers, mcp/wire, durable, promise and kit"

describe("architecture", () => {
  it("holds in the sources", () => {
    assert.isAbove(product.size, 0)
    assert.deepStrictEqual(violations(product), [])
  })

  it("keeps the median of files under 100 lines, and 90 % under 220 lines", () => {
    const lengths = [...product.values()].map((source) => source.split("\n").length).sort((a, b) => a - b)
    assert.isBelow(lengths[Math.floor(lengths.length / 2)] ?? 0, 100)
    assert.isBelow(lengths[Math.floor(lengths.length * 0.9)] ?? 0, 220)
  })

  it("takes ids, tokens and secrets from the unguessable source alone, and jitter from Random", () => {
    assert.deepStrictEqual(
      [...product].flatMap(([path, text]) => randomnessViolations(path, text)),
      []
    )
    const planted = (path: string, code: string) => randomnessViolations(path, `/** What it is. */\n${code}`)
    for (const use of [
      "Math.random",
      "Random.nextInt",
      "Random.choice",
      "randomUUID",
      "randomBytes",
      "randomFillSync",
      "getRandomValues",
      "randomBytesUnsafe",
      "effect/crypto/SecureRandom"
    ])
      for (const path of ["src/live/A.ts", "layers/A.ts", "kit/cli/mcp/A.ts", "examples/live/A.ts"])
        assert.deepStrictEqual(planted(path, `const a = "${use}"`), [
          `${path} uses ${use}: ids, tokens and secrets come from services/Unguessable.ts`
        ])
    assert.deepStrictEqual(planted("src/live/A.ts", "// Math.random\nconst a = Random.withSeed(b, 1)"), [])
    assert.deepStrictEqual(planted("layers/ModelPolicy.ts", "const a = Random.next"), [])
    assert.lengthOf(planted("layers/ModelPolicy.ts", "const a = Math.random()"), 1)
  })

  it("lets the domain import only effect and lower rooms of the domain", () => {
    imports("src/domain/tool/A.ts", "effect/Schema")
    imports("src/domain/tool/A.ts", "#domain/text/B")
    imports("src/domain/tool/A.ts", "#services/B", "src/domain/tool may not import services, which is not below it")
    imports("src/domain/tool/A.ts", "gpt-tokenizer", outside)
  })

  it("lets a room import only rooms below it, even in the same folder", () => {
    const upward = (path: string, specifier: string, to: string) =>
      imports(path, specifier, `${path.slice(0, path.lastIndexOf("/"))} may not import ${to}, which is not below it`)
    imports("src/domain/classification/A.ts", "#domain/classification/codes/B")
    upward("src/domain/classification/codes/A.ts", "#domain/classification/B", "src/domain/classification")
    upward("src/domain/loop/A.ts", "#domain/schema/B", "src/domain/schema")
    imports("services/A.ts", "#domain/turn/B")
    upward("services/A.ts", "#pipeline/B", "src/pipeline")
    upward("services/A.ts", "#layers/B", "layers")
    imports("src/pipeline/stages/A.ts", "#services/B")
    imports("src/pipeline/stages/A.ts", "#pipeline/call/B")
    upward("src/pipeline/call/A.ts", "#pipeline/stages/B", "src/pipeline/stages")
    upward("src/pipeline/stages/A.ts", "#pipeline/B", "src/pipeline")
    upward("src/pipeline/A.ts", "#src/guard/B", "src/guard")
    imports("src/agent/A.ts", "#src/tool/B")
    upward("src/tool/A.ts", "#src/agent/B", "src/agent")
    upward("src/agent/A.ts", "#src/mcp/serve/B", "src/mcp/serve")
    imports("kit/replay/A.ts", "#kit/traffic/B")
    upward("kit/traffic/A.ts", "#kit/replay/B", "kit/replay")
    upward("kit/replay/A.ts", "#kit/cli/console/B", "kit/cli/console")
    upward("kit/cli/console/A.ts", "#kit/cli/lint/B", "kit/cli/lint")
  })

  it("lets layers import nothing above the services, and the pipeline and MCP import no layers", () => {
    const apart = (path: string, specifier: string, to: string) =>
      imports(path, specifier, `${path.slice(0, path.lastIndexOf("/"))} may not import ${to}`)
    imports("layers/A.ts", "#services/B")
    imports("layers/A.ts", "#layers/internal/sql/B")
    apart("layers/internal/openai/A.ts", "#pipeline/call/B", "src/pipeline/call")
    apart("layers/A.ts", "#src/guard/Guard", "src/guard")
    apart("src/pipeline/stages/A.ts", "#layers/B", "layers")
    apart("src/mcp/serve/A.ts", "#layers/internal/sql/B", "layers/internal/sql")
    imports("kit/cli/console/A.ts", "effect-toolguard/layers/B")
  })

  it("lets Guard.ts import only layers in memory, and its room no other layers", () => {
    imports("src/guard/Guard.ts", "#layers/BudgetsMemory")
    imports("src/guard/Guard.ts", "#layers/BudgetsSql", "src/guard may not import layers")
    imports("src/guard/Guard.ts", "#layers/internal/sql/Memory", "src/guard may not import layers/internal/sql")
    imports("src/guard/Shadow.ts", "#layers/BudgetsMemory", "src/guard may not import layers")
  })

  it("lets the kit import the library's internal modules only by their unstable paths", () => {
    imports("kit/replay/A.ts", "effect-toolguard/internal/domain/text/B")
    imports("kit/replay/A.ts", "effect-toolguard/internal/layers/sql/B")
    imports("kit/replay/A.ts", "effect-toolguard/services/B")
    imports("kit/replay/A.ts", "#domain/text/B", "the kit has no such path")
    imports("kit/replay/A.ts", "effect-toolguard", "the entry modules are only for users")
    imports("kit/replay/A.ts", "#kit/testing", "the entry modules are only for users")
    imports("kit/cli/run/A.ts", "../../../examples/orders/main.ts")
    imports("src/tool/A.ts", "#kit/traffic/B", "the library has no such path")
    imports("src/tool/A.ts", "../../kit/traffic/B.ts", "src/tool may not import kit/traffic, which is not below it")
    imports("examples/orders/A.ts", "#src/guard/Guard", "an example has no such path")
    imports("examples/orders/A.ts", "effect-toolguard")
  })

  it("keeps node: and platform packages in layers, mcp/wire, durable, the kit and examples", () => {
    for (const room of ["src/domain/text", "services", "src/pipeline/stages", "src/guard", "src/mcp/serve"]) {
      imports(`${room}/A.ts`, "node:fs", outside)
      imports(`${room}/A.ts`, "@effect/platform-node/NodeServices", outside)
    }
    for (const room of ["layers", "src/durable", "src/mcp/wire", "kit/cli/console", "examples/orders"]) {
      imports(`${room}/A.ts`, "node:fs")
      imports(`${room}/A.ts`, "@effect/platform-node/NodeServices")
    }
  })

  it("requires a floor for every room, and at most 25 files in a room except in kit/lint/rules", () => {
    assert.deepStrictEqual(planted({ "src/attic/A.ts": "export const a = 1" }), [
      "src/attic/A.ts is in a room that has no floor"
    ])
    assert.deepStrictEqual(emptyRooms(product.keys()), [])
    const full = (room: string) =>
      planted(Object.fromEntries(Array.from({ length: 26 }, (_, n) => [`${room}/A${n}.ts`, "export const a = 1"])))
    assert.deepStrictEqual(full("src/tool"), ["src/tool has 26 files; the maximum is 25"])
    assert.deepStrictEqual(full("kit/lint/rules"), [])
  })

  it("reads imports of types, re-exports and dynamic imports, and ignores comments", () => {
    const forbidden = (source: string) =>
      assert.lengthOf(planted({ "src/domain/text/A.ts": `${source}\nexport const a = 1` }), 1)
    forbidden(`import type { B } from "#services/B"`)
    forbidden(`export { B } from "#services/B"`)
    forbidden(`const b = await import("#services/B")`)
    forbidden(`type B = import("#services/B").B`)
    assert.deepStrictEqual(planted({ "src/domain/text/A.ts": `// import "#services/B"\nexport const a = 1` }), [])
  })

  it("requires single modules and # paths", () => {
    imports("src/domain/text/A.ts", "effect", "sources import single modules, such as effect/Effect")
    imports("examples/orders/A.ts", "effect")
    imports("src/A.ts", "effect-toolguard", "sources import each other by # paths")
    imports("src/A.ts", "#src/index", "the entry modules are only for users")
    imports("src/A.ts", "./B.ts")
    imports("src/A.ts", "./tool/B.ts", "other folders are imported by # paths")
    imports("src/pipeline/A.ts", "../domain/text/B.ts", "other folders are imported by # paths")
    imports("layers/A.ts", "./internal/sql/B.ts", "other folders are imported by # paths")
    imports("layers/A.ts", "../test/support/B.ts", "test/support is outside the sources")
  })

  it("reports a cycle once, even through a type or from a file to itself", () => {
    assert.deepStrictEqual(
      planted({
        "src/domain/text/A.ts": `import * as B from "./B.ts"\nexport const a = B`,
        "src/domain/text/B.ts": `import type { C } from "#domain/text/C"\nexport type B = C`,
        "src/domain/text/C.ts": `import * as A from "#domain/text/A"\nexport const c = A`,
        "src/domain/text/D.ts": `import * as D from "./D.ts"\nexport const d = D`
      }),
      [
        "cycle: src/domain/text/A.ts → src/domain/text/B.ts → src/domain/text/C.ts → src/domain/text/A.ts",
        "cycle: src/domain/text/D.ts → src/domain/text/D.ts"
      ]
    )
  })

  it("allows over 300 lines only with a reason in the header comment", () => {
    const body = "export const a = 1\n".repeat(300)
    assert.deepStrictEqual(violations(new Map([["src/domain/text/A.ts", `/** What. */\n${body}`]])), [
      "src/domain/text/A.ts has 301 lines and no reason in its header"
    ])
    assert.deepStrictEqual(
      violations(new Map([["src/domain/text/A.ts", `/** A table: 300 lines, one a code. */\n${body}`]])),
      []
    )
    assert.deepStrictEqual(violations(new Map([["src/domain/text/A.ts", `/** What. */\n${body.slice(19)}`]])), [])
  })

  it("requires a header comment, even after a shebang", () => {
    const missing = ["kit/cli/main.ts begins without a header comment"]
    assert.deepStrictEqual(violations(new Map([["kit/cli/main.ts", "export const a = 1\n/** Late. */"]])), missing)
    assert.deepStrictEqual(violations(new Map([["kit/cli/main.ts", "// What.\nexport const a = 1"]])), missing)
    assert.deepStrictEqual(
      violations(new Map([["kit/cli/main.ts", "#!/usr/bin/env node\n/** What. */\nexport const a = 1"]])),
      []
    )
  })

  it("requires a reason for silencing a rule", () => {
    const silenced = (comment: string) => planted({ "src/domain/text/A.ts": `${comment}\nexport const a = 1` })
    const diagnostics = "effect-diagnostics" // separate, because the complete comment would silence a rule here
    const missing = ["src/domain/text/A.ts silences a rule without `-- reason`"]
    assert.deepStrictEqual(silenced("// oxlint-disable-next-line typescript/no-explicit-any"), missing)
    assert.deepStrictEqual(silenced(`// @${diagnostics}-next-line globalDate:off`), missing)
    assert.deepStrictEqual(silenced("// @ts-expect-error"), missing)
    assert.deepStrictEqual(silenced(`// @${diagnostics}-next-line globalDate:off -- the real clock is read here`), [])
  })

  it("refuses meaningless names, and barrels that users do not import", () => {
    const barrel = `export * from "./A.ts"`
    for (const path of ["src/tool/utils.ts", "layers/helpers.ts", "src/domain/text/common.ts", "services/Util.ts"]) {
      assert.deepStrictEqual(planted({ [path]: "export const a = 1" }), [`${path} has a meaningless name`])
    }
    assert.deepStrictEqual(planted({ "src/index.ts": barrel }), [])
    assert.deepStrictEqual(planted({ "kit/testing.ts": `export { a } from "#kit/fuzz/A"` }), [])
    assert.deepStrictEqual(planted({ "services/All.ts": barrel }), ["services/All.ts is a barrel"])
    assert.deepStrictEqual(planted({ "services/index.ts": "export const a = 1" }), ["services/index.ts is a barrel"])
    assert.deepStrictEqual(planted({ "services/B.ts": `${barrel}\nexport const b = 1` }), [
      "services/B.ts re-exports all of a module"
    ])
    assert.deepStrictEqual(planted({ "services/B.ts": `export { a } from "./A.ts"\nexport const b = 1` }), [])
    assert.deepStrictEqual(planted({ "services/B.ts": `export * as A from "./A.ts"\nexport const b = 1` }), [])
    assert.deepStrictEqual(planted({ "services/B.ts": `export type * from "./A.ts"\nexport const b = 1` }), [])
  })

  it("exports only what another file imports", () => {
    const files = { "src/tool/A.ts": "export const a = 1\nexport interface B {}", "src/tool/C.ts": "" }
    const unused = (user: string) => unusedExports(new Map(Object.entries({ ...files, "src/tool/C.ts": user })))
    assert.deepStrictEqual(unused(""), ["src/tool/A.ts a", "src/tool/A.ts B"])
    assert.deepStrictEqual(unused(`import { a } from "./A.ts"`), ["src/tool/A.ts B"])
    assert.deepStrictEqual(unused(`import * as A from "#src/tool/A"\nA.a`), ["src/tool/A.ts B"])
    assert.deepStrictEqual(unused(`import * as A from "#src/tool/A"\nf(A.a /* A.B */)`), ["src/tool/A.ts B"])
    assert.deepStrictEqual(unused(`import * as A from "#src/tool/A"\nf(A)`), [])
    assert.deepStrictEqual(unused(`type B = import("#src/tool/A").B`), [])
    assert.deepStrictEqual(unused(`export { a, type B } from "./A.ts"`), [])
    assert.deepStrictEqual(unusedExports(sources("{src,services,layers,kit,test,examples,scripts}/**/*.ts")), [])
  })
})
