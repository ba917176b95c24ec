/** Tests which values after the name of a secret are removed, and how much of a text belongs to the value. */
import { describe } from "@effect/vitest"
import { removes } from "./MarkedText.ts"

/** Returns letters of both cases and digits, without a period. */
const random = (length: number): string => {
  const letters = "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
  let seed = 7
  return Array.from({ length }, () => letters[(seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) % 57]).join("")
}

describe("the value of an assignment", () =>
  removes({
    everywhere: [
      `password="⟦Hunter2Xy9⟧" x`,
      `password="⟦Hunter2Xy9⟧\nnext" x`,
      `password="⟦Hunter2Xy9⟧`,
      `password="⟦a'Hunter2Xy9'b⟧"`,
      `password=Some("⟦Hunter2Xy9⟧")`,
      `password=b"⟦Hunter2Xy9⟧"`,
      `password=⟦bHunter2Xy9⟧`,
      `password=⟦Hunter2Xy9⟧.`,
      `password=⟦Hunter2Xy9⟧. Then`,
      `password=⟦Hunter2Xy9⟧: x`,
      `password=⟦Hunter2Xy9.com⟧`,
      `say "password=⟦Hunter2Xy9⟧" now`,
      `password={⟦Hunter2⟧}`,
      `password: '⟦le7s⟧'`
    ],
    failures: [
      `password=⟦Hunter2.Xy9⟧`,
      `password="⟦one⟧ line\nHunter2Xy9"`,
      `password: ⟦l3tm⟧`,
      `password: "⟦lets⟧"`,
      `token: "⟦letmein⟧"`,
      `token=⟦letmein⟧`,
      `token: ⟦1234567890123456⟧`,
      `password: ⟦1234567⟧`,
      `passcode=⟦1234⟧`
    ],
    kept: [
      `password=""`,
      `password="" Hunter2Xy9`,
      `password: letmein`,
      `password: lets`,
      `password=let`,
      `token: letmein`,
      `token: 12345678`,
      `key_secret: 1234`,
      `passcode: 123`,
      `token=getToken2(1)`,
      `password=<div>`,
      `password=[abc1]`,
      `token={a1b2c3d4e5}`
    ]
  }))

describe("a long secret", () =>
  removes({
    everywhere: [199, 200, 201, 299, 300, 301, 1_000, 5_000].flatMap((length) => {
      const secret = random(length)
      return [
        `token=⟦${secret}⟧`,
        `password: ⟦${secret}⟧ x`,
        `"client_secret":"⟦${secret}⟧"`,
        `tool --password ⟦${secret}⟧ x`,
        `Passwort: ⟦${secret}⟧, x`,
        `password%3D⟦${secret}⟧%26user%3Dbob`,
        `{"name":"DB_PASSWORD","value":"⟦${secret}⟧"}`,
        `curl -u bob:⟦${secret}⟧ https://a.example`,
        `mysql -p⟦${secret}⟧ db`,
        `X-Api-Key: ⟦${secret}⟧\nx`,
        `got Bearer ⟦${secret}⟧ x`
      ]
    })
  }))

describe("a secret of up to 4,096 characters", () =>
  removes({
    everywhere: [201, 4_096].flatMap((length) => {
      const secret = random(length)
      return [`https://⟦${secret}⟧@h/x`, `https://u:⟦${secret}⟧@h/x`, `password:\n  ⟦${secret}⟧\nx`]
    }),
    failures: [`the password "⟦${random(299)}⟧" is wrong`]
  }))

describe("the name of a secret", () =>
  removes({
    everywhere: [
      `accessToken=⟦Ab12Cd34Ef56⟧`,
      `authtoken=⟦Ab12Cd34Ef56⟧`,
      `TIKTOKEN=⟦Ab12Cd34Ef56⟧`,
      `my_token=⟦Ab12Cd34Ef56⟧`,
      `7token=⟦Ab12Cd34Ef56⟧`,
      `pagination token=⟦Ab12Cd34Ef56⟧`,
      `next page of token=⟦Ab12Cd34Ef56⟧`,
      `MY_KEY=⟦Ab12Cd34Ef56⟧`,
      `DB_PASS=⟦Ab12Cd34Ef56⟧`,
      `Token：⟦Ab12Cd34Ef56⟧`
    ],
    failures: [
      `tiktoken=⟦Ab12Cd34Ef56⟧`,
      `myauthtoken=⟦Ab12Cd34Ef56⟧`,
      `topsecret=⟦Ab12Cd34Ef56⟧`,
      `my_key=⟦Ab12Cd34Ef56⟧`,
      `Token: ⟦見つかりません⟧`,
      `密码：⟦请输入密码1⟧`
    ],
    kept: [
      `next_token=Ab12Cd34Ef56`,
      `nexttoken=Ab12Cd34Ef56`,
      `next-token: Ab12Cd34Ef56`,
      `the continuation_token=Ab12Cd34Ef56`,
      `csrf_token=Ab12Cd34Ef56`,
      `max_tokens: 4096`,
      `db_pass=Ab12Cd34Ef56`,
      `Token：見つかりません`,
      `Token＝見つかりません`
    ]
  }))

describe("a field of JSON in a text", () =>
  removes({
    everywhere: [
      `{"password": ⟦1234567⟧}`,
      `{"password": ⟦1234567⟧, "a":1}`,
      `{"password" : ⟦1234567⟧ }`,
      `{"password": ⟦123⟧}`,
      `{"user.password": ⟦1234567⟧}`,
      `{"password":"⟦abc def⟧"}`
    ],
    failures: [`{"my password": ⟦1234567⟧}`, `['password']: ⟦1234567⟧`, `{"password":"⟦is too short⟧"}`],
    kept: [`{"password": 12}`, `{"token": 1234567}`, `{"password_hint":"abc def"}`]
  }))

describe("a secret on the next line", () =>
  removes({
    everywhere: [
      `password:\n  ⟦Hunter2Xy9⟧\n`,
      `password: |\n  ⟦Hunter2Xy9⟧\n`,
      `password: >-\n  ⟦Hunter2Xy9⟧`,
      `password:\n  ⟦Hunter:2-Xy#9!⟧\nx`,
      `password:\n\t⟦Hunter2Xy9⟧\r\nx`,
      String.raw`password:\n⟦Hunter2Xy9⟧\nx`
    ],
    failures: [`token:\n  ⟦abcdefgh1⟧\n`, `password:\n  ⟦letmein!⟧\n`],
    kept: [
      `password:\n  hunter\n`,
      `password:\n  Hunter2Xy9 and more\n`,
      `password:\n  - Hunter2Xy9\n`,
      `password:\n  -Hunter2Xy9\n`,
      `password:\n  Hunter2Xy9:\n`,
      `password:\n  #Hunter2Xy9\n`,
      `password:\n  what?\n`,
      `password:\n  null\n`,
      `password=\nHunter2Xy9\n`
    ]
  }))

describe("an escaped pair", () =>
  removes({
    everywhere: [
      `password%3D⟦hunter2⟧%26x`,
      `password%20%3D%20⟦hunter2⟧`,
      `password%253D⟦hunter2⟧%2526`,
      `password&#61;⟦hunter2⟧;x`
    ],
    failures: [
      `password%3D⟦hunter⟧%26x`,
      `token%3D⟦abc⟧%26`,
      `password%3D⟦a%2⟧`,
      `password=⟦a%20b⟧`,
      `token%3D⟦%E4%B8⟧`,
      `secret%3D⟦hunter2x⟧%0Ab`
    ],
    kept: [`next_token%3Da1B2c3D4e5%26x`, `password%3D%26x`]
  }))

describe("a password in another language", () =>
  removes({
    everywhere: [`"Passwort": "⟦geheim1⟧"`, `Passwort: ⟦Hunter2Xy9!⟧`],
    failures: [`Passwort: ⟦geheim1⟧`, `Passwort = ⟦geheim!⟧`, `Passwort: "⟦geheim wort1⟧"`, `senha: ⟦abc_⟧`],
    kept: [`Passwort: ungültig`, `Passwort "geheim1"`, `Passwort vergessen1`, `senha: a-b`]
  }))

describe("a flag of a command line", () =>
  removes({
    everywhere: [`psql --api-key ⟦a1B2c3D4e5f6⟧ x`, `cli --token ⟦a1B2c3D4e5f6⟧`, `psql --password '⟦hunter2⟧' y`],
    failures: [
      `psql --password ⟦hunter⟧ x`,
      `psql --password ⟦Abcd!efgh⟧ x`,
      `psql --password=⟦hunter2⟧ x`,
      `psql --password "⟦hunter2 x⟧" y`
    ],
    kept: [`psql --password $PW1 x`, `-password hunter2`, `psql --passwordfile hunter2`]
  }))

describe("a secret in quotes in a sentence", () =>
  removes({
    failures: [
      `The password "⟦Hunter2⟧" failed`,
      `The password is "⟦Hunter2⟧" x`,
      `The token "⟦ab12⟧" x`,
      "The api key `⟦k-12⟧` x"
    ],
    kept: [
      `The secret was 'letmein'`,
      `The token of "abc" x`,
      `The token "ab1" x`,
      `The password "Hunter two2" x`,
      `The password Hunter2Xy9 is`
    ]
  }))

describe("a pair of a name and a value", () =>
  removes({
    everywhere: [
      `{"name":"DB_TOKEN","value":"⟦a1B2c3D4e5⟧"}`,
      `{"value":"⟦a1B2c3D4e5⟧","key":"DB_TOKEN"}`,
      `name: API_KEY\nvalue: ⟦xyz⟧`,
      `value=⟦a1B2c3D4e5⟧ name=API_KEY`
    ],
    kept: [
      `{"name":"PORT","value":"a1B2c3D4e5"}`,
      `{"name":"DB_TOKEN","value":"abc"}`,
      `{"value":"a1B2c3D4e5","note":"x"}`,
      `{"name":"DB_PASSWORD","value":"<password>"}`
    ]
  }))
