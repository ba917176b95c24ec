/** Tests which program a command line of `toolguard` starts, and that both programs are the same command. */
import { assert, describe, it } from "@effect/vitest"
import { dirname, join } from "node:path"
import { bundled, commandLine, proxied } from "./command.ts"
import { root } from "./sources.ts"
import { node } from "./tools.ts"

const isBundled = (...args: ReadonlyArray<string>): boolean => commandLine(args)[0]?.endsWith(".js") === true

describe("the program of a command line", () => {
  it("13.6 is the bundle if it names no module of tools or one of the bundle, and the sources otherwise", () => {
    assert.isTrue(isBundled("lint", "tools.json"))
    assert.isTrue(isBundled("mcp", "proxy", "--", "node", "server.ts"))
    assert.isTrue(isBundled("fuzz"))
    assert.isTrue(isBundled())
    assert.isTrue(isBundled("mcp", "serve", "examples/orders/main.ts"))
    assert.isFalse(isBundled("mcp", "serve", "backend.ts"))
    assert.isFalse(isBundled("diff", "examples/orders/Tools.ts", "other.ts"))
    assert.isFalse(isBundled("lint", "--backend=backend.mjs"))
    assert.match(proxied([], ["node", "server.ts"])[1] ?? "", /\.js$/u)
    const [program = "", , module = ""] = commandLine(["describe", "orders/main.ts"], join(root, "examples"))
    assert.deepStrictEqual([dirname(module), program], [join(dirname(bundled), "../../examples/orders"), bundled])
  })

  it("13.6 prints the same from the bundle as from the sources, also in threads", async () => {
    for (const args of [
      ["lint", "--help"],
      ["replay", "examples/traffic/week.jsonl", "--jobs", "2", "--json"],
      ["describe", "examples/orders/main.ts"]
    ]) {
      const [bundled, sources] = await Promise.all([node(commandLine(args)), node(["kit/cli/main.ts", ...args])])
      assert.deepStrictEqual(bundled, sources)
      assert.strictEqual(bundled.code, 0)
    }
  })
})
