/** A toolbox of two hundred tools compiles, keeps the names and requirements of its tools, and costs the compiler little. */
import { assert, describe, it } from "@effect/vitest"
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { root } from "../support/sources.ts"
import { tsc } from "../support/tools.ts"

const tools = Array.from({ length: 200 }, (_, index) => `Tool${index}`)

const program = `
import { Effect, Layer } from "effect"
import { LanguageModel } from "effect/ai"
import { Agent, Guard, GuardedTool, morePages, Toolbox } from "effect-toolguard"
import { assertType, type Equals } from "${root}/test/types/kit.ts"
import { base } from "${root}/test/types/tools.ts"

const definition = {
  ...base,
  access: "read",
  retry: { attempts: 3 },
  checks: { more: morePages((result: { readonly page: number }) => ({ page: result.page + 1 })) }
} as const
const answer = ({ page }: { readonly page: number }) => Effect.succeed({ orders: [], page, has_more: false })
${tools.map((tool) => `class ${tool} extends GuardedTool.Service<${tool}>()("${tool.toLowerCase()}", definition) {}`).join("\n")}

const tools = Toolbox.make(${tools.join(", ")})
assertType<Equals<keyof typeof tools.toolkit.tools, ${tools.map((tool) => `"${tool.toLowerCase()}"`).join(" | ")}>>()

const handlers = Layer.mergeAll(${tools.map((tool) => `${tool}.layer(answer)`).join(", ")})
const run = Agent.run({ prompt: "Hello", tools }).pipe(Effect.provide([handlers, Guard.layerMemory]))
assertType<Equals<Effect.Services<typeof run>, LanguageModel.LanguageModel>>()

const generated = LanguageModel.generateText({ prompt: "Hello", toolkit: tools.toolkit }).pipe(
  Effect.provide(tools.handlers),
  Effect.provide([handlers, Guard.layerMemory])
)
assertType<Equals<Effect.Services<typeof generated>, LanguageModel.LanguageModel>>()
`

describe("a toolbox of 200 tools", () => {
  it("2.5 compiles with at most 1,300,000 instantiations", async () => {
    const folder = mkdtempSync(join(tmpdir(), "toolguard-many-"))
    try {
      symlinkSync(join(root, "node_modules"), join(folder, "node_modules"), "junction")
      writeFileSync(join(folder, "many.ts"), program)
      writeFileSync(join(folder, "package.json"), '{ "type": "module" }')
      const config = {
        extends: join(root, "tsconfig.json"),
        compilerOptions: { rewriteRelativeImportExtensions: false, allowImportingTsExtensions: true },
        files: ["many.ts"],
        include: []
      }
      writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config))
      const { code, stdout } = await tsc(["-p", folder, "--extendedDiagnostics"])
      assert.strictEqual(code, 0, stdout)
      const instantiations = Number(/^Instantiations:\s+(\d+)$/mu.exec(stdout)?.[1])
      assert.isAbove(instantiations, 100_000, stdout)
      assert.isAtMost(instantiations, 1_300_000)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
