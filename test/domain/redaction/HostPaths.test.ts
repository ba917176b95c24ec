import { hidePaths } from "#domain/redaction/HostPaths"
import { assert, describe, it } from "@effect/vitest"

const hides: ReadonlyArray<readonly [text: string, hidden: string]> = [
  ["open '/srv/app/config/settings.json'", "open '[redacted]/settings.json'"],
  ["/home/alice", "[redacted]"],
  ["see /home/alice/.ssh/id_rsa.", "see [redacted]."],
  ["(/usr/lib/python3.11/site.py:12)", "([redacted]/site.py:12)"],
  ["cwd=/var/lib/app:/opt/app/bin", "cwd=[redacted]:[redacted]"],
  ["C:\\Users\\bob\\secret.txt failed", "[redacted]/secret.txt failed"],
  ["C:\\Program Files\\App\\app.exe crashed", "[redacted]/app.exe crashed"],
  ["\\\\server\\share\\plans", "[redacted]"],
  ["import file:///home/bob/x.ts?v=1", "import [redacted]"],
  ["/app/data/orders.db is locked", "[redacted]/orders.db is locked"],
  ["at /workspace/run/main.go:10", "at [redacted]/main.go:10"],
  ["/Users/zoë/notes", "[redacted]"],
  ["ENOENT: no such file or directory, open '/orders/4711'", "ENOENT: no such file or directory, open '[redacted]'"],
  ["/run/secrets/kubernetes.io/serviceaccount/token is missing", "[redacted] is missing"],
  ["/var/run/secrets/eks.amazonaws.com/serviceaccount/token", "[redacted]"],
  ["cannot read /export/home/bob/.aws/credentials", "cannot read [redacted]"],
  ["/data/customers/acme/2026/ledger", "[redacted]"],
  ["profile in ~/.aws/credentials, key in ~bob/.ssh/id_rsa", "profile in [redacted], key in [redacted]"],
  ["/u01/bob/.kube/config", "[redacted]"],
  ["mounted at /vault/secrets/db", "mounted at [redacted]"],
  ["ls: /uploads: No such file or directory", "ls: [redacted]: No such file or directory"]
]
const keeps: ReadonlyArray<string> = [
  "GET /home/feed returned 404",
  "/data/items/1/tags, /run/reports, /.well-known/openid-configuration, /api/.env-settings",
  "https://example.com/home/user/index.html",
  "endpoint /data/items, route /app/users/1, /api/v1/orders.list",
  "Tilde paths (~/...) and ~/.pi/agent",
  "a/b/c, ./src/a.ts, ../x, ~/notes, @scope/name, application/json, 1/2",
  "http://localhost:3000/srv/x",
  "x = a / b / c",
  "ratio 3:1, 10:30, C: drive"
]

describe("HostPaths", () => {
  for (const [text, hidden] of hides) {
    it(`4.15 hides: ${text}`, () => assert.strictEqual(hidePaths(text, []), hidden))
  }
  for (const text of keeps) it(`4.15 keeps: ${text}`, () => assert.strictEqual(hidePaths(text, []), text))

  it("4.15 keeps a path inside a known folder, but not one whose folder only has the same prefix", () => {
    assert.strictEqual(hidePaths("/home/u/a/x.md", ["/home/u/a"]), "/home/u/a/x.md")
    assert.strictEqual(hidePaths("/home/u/ab/x.md", ["/home/u/a"]), "[redacted]/x.md")
    assert.strictEqual(hidePaths("/home/u/x.md", ["/"]), "[redacted]/x.md")
  })
})
