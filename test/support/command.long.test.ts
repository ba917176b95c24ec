/** Tests which program a command line of `toolguard` starts, and that both programs are the same command. */
import { assert, describe, it } from "@effect/vitest"
import { programFor, proxied } from "./command.ts"
import { node } from "./tools.ts"

const isBundled = (...args: ReadonlyArray<string>): boolean => !programFor(args).endsWith(".ts")

describe("the program of a command line", () => {
  it("13.6 is the bundle for a command without a module of tools, and the sources for any other", () => {
    assert.isTrue(isBundled("lint", "tools.json"))
    assert.isTrue(isBundled("mcp", "proxy", "--listen", "0"))
    assert.isFalse(isBundled("lint", "examples/orders/main.ts"))
    assert.isFalse(isBundled("lint", "--backend=backend.mjs"))
    assert.isFalse(isBundled("mcp", "serve", "backend.ts"))
    assert.isFalse(isBundled("fuzz"))
    assert.isFalse(isBundled())
    assert.notMatch(proxied([], ["node", "server.ts"])[1] ?? "", /\.ts$/u)
  })

  it("13.6 prints the same from the bundle as from the sources, also in threads", async () => {
    for (const args of [
      ["lint", "--help"],
      ["replay", "examples/traffic/week.jsonl", "--jobs", "2", "--json"]
    ]) {
      const [bundled, sources] = await Promise.all([
        node([programFor(args), ...args]),
        node(["kit/cli/main.ts", ...args])
      ])
      assert.deepStrictEqual(bundled, sources)
      assert.strictEqual(bundled.code, 0)
    }
  })
})
