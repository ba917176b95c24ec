/** Tests which secrets are found by the notation around them, such as headers, addresses and command lines. */
import { describe } from "@effect/vitest"
import { removes } from "./MarkedText.ts"

const mixed = "aB3xK9mQ2pL7vT5wZ8"

describe("an address", () =>
  removes({
    everywhere: [
      `https://⟦abcdefghijklmno1⟧@h.example/`,
      `https://u:⟦letmein⟧@h/x`,
      `https://u:⟦p⟧@h`,
      `https://:⟦p4⟧@h`,
      `https://h:⟦8080a/a⟧@b`,
      `https://u:⟦p1⟧@[::1]/x`
    ],
    failures: [`https://u:⟦password⟧@h/x`, `https://u:⟦secret⟧@h/x`, `https://u:⟦PASSWORD⟧@h`],
    kept: [
      `https://abcdefghijklmnop@h.example/`,
      `https://abcdefghijklmn1@h.example/`,
      `https://u:$PW@h/x`,
      `https://u:@h`,
      `https://h:8080/a@b`,
      `https://u:p1@/x`,
      `http://u:<password>@h`,
      `http://u:your-password@h`
    ]
  }))

describe("a bearer token", () =>
  removes({
    everywhere: [
      `Bearer ⟦abcdefghijklmno1⟧`,
      `Bearer ⟦aBcdEfghIjklMnopQrst⟧`,
      `Bearer ⟦a1b2c3d4e5f6a7b8⟧.`,
      `Bearer ⟦a1b2c3d4.e5f6a7b8⟧ x`,
      `Basic ⟦dXNlcjpwYXNzd2Q=⟧`,
      `Basic ⟦abcdefghijklmn=⟧`
    ],
    failures: [`Bearer ⟦abcdefg1⟧`, `Bearer ⟦abcdefghijklmn1⟧`, `Authorization: ⟦Bearer abcdefghijklmno⟧`],
    kept: [
      `Bearer abcdefgh`,
      `Bearer abcdef1`,
      `Bearer 1234567890123456`,
      `Bearer abcdefghijklmnopqrst`,
      `Bearer aBcdEfghIjklMnopQrs`,
      `Basic abcdefghijklm=`,
      `Bearer <token>`,
      `Bearer AUTHENTICATIONREQUIRED`,
      `Bearer aaaaaaaaAaaaaaaaaAaa`,
      `Bearer authentication-required-x`,
      `Bearer InvalidTokenExceptionError`
    ]
  }))

describe("a header", () =>
  removes({
    results: [`Cookie: sid=⟦${mixed}⟧; Path=/`, `Cookie: sid=⟦${mixed}⟧=; Path=/`],
    everywhere: [
      `X-Api-Key: ⟦${mixed}⟧`,
      `X-Api-Key: ⟦${mixed.slice(0, 16)}⟧`,
      `Ocp-Apim-Subscription-Key: ⟦${mixed}⟧`
    ],
    failures: [
      `Authorization: ⟦SecretKey⟧`,
      `Authorization: ⟦ABcdef⟧`,
      `Authorization: ⟦abc123⟧`,
      `Authorization: ⟦abc123⟧, then`,
      `Authorization: ⟦abc123⟧  ; then`,
      `Authorization: ⟦abc$123⟧`,
      `Authorization: ⟦abc123⟧"x`,
      `"Authorization": "⟦abc123, then⟧" x`,
      `Authorization: [⟦abc123⟧]`,
      `Cookie: ⟦sid=abcdef⟧`,
      `Cookie: "⟦a=b c;d⟧" x`,
      `Cookie: ⟦consent=yes⟧; theme=dark`,
      `X-Api-Key: ⟦getKey2Value1Xyz8888(1⟧)`,
      `X-Api-Key: ⟦${"a ".repeat(105)}${mixed}⟧`
    ],
    kept: [
      `Authorization: secret`,
      `Authorization: Secret`,
      `Authorization: required`,
      `Authorization: abc12`,
      `Authorization: <abc123>`,
      `Authorization: $ABC123`,
      `Authorization: *******`,
      `Authorization: abcdef`,
      `X-Api-Key: abcdefghijklmnopqr`
    ]
  }))

describe("a private key", () =>
  removes({
    everywhere: [
      `-----BEGIN PRIVATE KEY-----⟦\nMIIEowIBAAKCAQEA7q2v8\n⟧`,
      `-----BEGIN PRIVATE KEY-----⟦\nMIIEowIBAAKCAQEA7q2v8\n⟧(cut) here`,
      String.raw`-----BEGIN RSA PRIVATE KEY-----⟦\nMIIEowIBAAKCAQEA7q2v8\n⟧-----END RSA PRIVATE KEY-----`
    ],
    kept: [
      `-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----`,
      `-----BEGIN PRIVATE KEY-----\n... ? MIIEowIBAAKCAQEA7q2v8`,
      `-----BEGIN PUBLIC KEY-----\nMIIEowIBAAKCAQEA7q2v8\n-----END PUBLIC KEY-----`
    ]
  }))

describe("a Kubernetes secret", () =>
  removes({
    everywhere: [
      `kind: Secret\ndata:\n  ⟦a: czNjcmV0\n  b: eHg=⟧\nother: 1`,
      `data:\n  ⟦a: czNjcmV0⟧\nkind: Secret`,
      `kind: Secret\ndata: ⟦a: czNjcmV0czNj⟧`,
      String.raw`{"command":"kubectl apply -f - <<EOF\nkind: Secret\nstringData:\n  ⟦a: correcthorse\n  b: eHg=⟧\nEOF\n"}`,
      String.raw`{"text":"kind: Secret\r\ndata:\r\n  ⟦a: czNjcmV0⟧"}`,
      `kind: "Secret"\nstringData:\n  ⟦a: hunter2⟧\n`
    ],
    kept: [`kind: ConfigMap\ndata:\n  a: czNjcmV0\n`, `kind: Secrets\ndata:\n  a: czNjcmV0\n`, `kind: Secret\ndata: x`]
  }))

describe("a command line", () =>
  removes({
    everywhere: [
      `curl -u bob:⟦hunter2⟧ https://a`,
      `curl -u bob:⟦abc⟧ https://a`,
      `curl --user=bob:⟦hunter2⟧ x`,
      `curl -u "bob:⟦hunt er2⟧" x`,
      `curl -u 'bob:⟦hunt er2⟧' x`,
      `curl -u "bob:⟦hunter2⟧`,
      `mysql -p⟦hunter2⟧ db`,
      String.raw`{"command":"ssh a <<EOF\nmysql -u root -p⟦Hunter2⟧ db\nEOF"}`,
      `mysql -p⟦ab1⟧ db`,
      `mysqldump -u a -p⟦Hunter2⟧ db`,
      `mariadb -p⟦Hunter2⟧`
    ],
    kept: [
      `curl -u bob:$PW https://a`,
      `curl -u "bob:$PW" https://a`,
      `curl -u bob:ab https://a`,
      `curl -u bob:<pw1> x`,
      `docker -u bob:hunter2`,
      `mysql -pa1 db`,
      `mysql -psecret db`,
      `mysql -p db`,
      `mkdir -pHunter2`,
      `mysql x | tee -pHunter2`
    ]
  }))

describe("a key of Azure", () => {
  const key = (before: number, after: number, mark = "AzSe") =>
    `${mixed.repeat(6).slice(0, before)}${mark}${mixed.repeat(3).slice(0, after)}`
  return removes({
    everywhere: [
      `⟦${key(52, 6)}⟧`,
      `key ⟦${key(52, 6)}⟧ x`,
      `key ⟦${key(33, 6)}⟧ x`,
      `key ⟦${key(90, 6)}⟧ x`,
      `key ⟦${key(52, 4)}⟧ x`,
      `key ⟦${key(52, 40)}⟧ x`,
      `key ⟦${key(52, 6, "+ASt")}⟧=`
    ],
    kept: [
      `key ${key(32, 6)} x`,
      `key ${key(91, 6)} x`,
      `key ${key(52, 3)} x`,
      `key ${key(52, 41)} x`,
      `key ${key(52, 6, "azse")} x`,
      `key ${"ab".repeat(26)}AzSe${mixed.slice(0, 6)} x`
    ]
  })
})

describe("a stored credential", () =>
  removes({
    everywhere: [
      `machine a login b password ⟦hunter2⟧`,
      `machine a login b password ⟦hu2⟧`,
      `machine a login b password  \t ⟦hunter2⟧`,
      `response="⟦${"6629fae49393a05397450978507c4ef1".repeat(2)}⟧"`,
      `default login b password ⟦hunter2⟧`,
      `machine a login b account c password ⟦hunter2⟧`,
      `response="⟦6629fae49393a05397450978507c4ef1⟧"`,
      `_auth=⟦${mixed}⟧`,
      `_auth: "⟦letmein1⟧"`
    ],
    failures: [
      `machine a login b password ⟦hunter⟧`,
      `scott/⟦tiger2⟧@db:1521/x`,
      `scott/⟦tiger2⟧@//db/x`,
      `_auth = ⟦letmein⟧`
    ],
    kept: [
      `login b password hunter2`,
      `machine a password h2`,
      `machine a password null`,
      `/tiger2@db:1521`,
      `scott/ti@db:1521/x`,
      `a/b/tiger2@db:1521/x`,
      `response=6629fae49393a05397450978507c4ef`,
      `response=ok`,
      `response=${"6629fae49393a05397450978507c4ef1".repeat(2)}0`,
      `response=x6629fae49393a05397450978507c4ef1`
    ]
  }))
