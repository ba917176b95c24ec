/** Tests the payload of an answer, the fields around it, and the excerpt of an answer with many fields. */
import { asJson } from "./asJson.ts"
import { assert, describe, it } from "@effect/vitest"
import { excerptOf, isSuccess, isTechnical, objectsIn, payloadOf, plain } from "#domain/answers/Payload"

const many = (from: number, to: number): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: to - from }, (_, index) => [`k${from + index}`, from + index]))

describe("plain", () => {
  for (const [given, expected] of [
    [["Order_Id"], "orderid"],
    [["soap:Fault"], "fault"],
    [["odata.error"], "error"],
    [["a b-c"], "abc"],
    [["x:y:z"], "y:z"],
    [["1a:b"], "1a:b"],
    [["Ünder_x"], "ünderx"]
  ] as ReadonlyArray<readonly [readonly [string], unknown]>)
    it(`3.3 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [name] = given
      assert.deepStrictEqual(asJson(plain(name)), expected)
    })
})

describe("isTechnical", () => {
  for (const [given, expected] of [
    [["@type", {}], true],
    [["$ref", {}], true],
    [["#x", {}], true],
    [["xmlns:a", {}], true],
    [["request_id", {}], true],
    [["id", {}], false],
    [["id", { jsonrpc: "2.0" }], true],
    [["a", { jsonrpc: "2.0" }], false],
    [["a@b", {}], false],
    [["axmlns:a", {}], false]
  ] as ReadonlyArray<readonly [readonly [string, object], unknown]>)
    it(`3.3 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [name, answer] = given
      assert.deepStrictEqual(asJson(isTechnical(name, answer as never)), expected)
    })
})

describe("isSuccess", () => {
  for (const [given, expected] of [
    [["ok", true], true],
    [["ok", false], false],
    [["code", 0], true],
    [["code", 1], false],
    [["code", 200], true],
    [["code", 299], true],
    [["code", 199], false],
    [["code", 300], false],
    [["code", "0000"], true],
    [["code", "204"], true],
    [["code", "2040"], false],
    [["code", "a0"], false],
    [["code", "0a"], false],
    [["message", "OK"], true],
    [["message", "done."], true],
    [["message", "done it"], false],
    [["message", " ".repeat(36) + "done"], true],
    [["message", " ".repeat(37) + "done"], false],
    [["total", 0], false],
    [["err_code", 0], true],
    [["code", null], false],
    [["code", "200"], true],
    [["code", "1200"], false]
  ] as ReadonlyArray<readonly [readonly [string, unknown], unknown]>)
    it(`3.3 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [name, value] = given
      assert.deepStrictEqual(asJson(isSuccess(name, value)), expected)
    })
})

describe("payloadOf", () => {
  for (const [given, expected] of [
    [[{ data: { a: 1 }, request_id: "r" }], ["data", { a: 1 }]],
    [[{ data: [1], ok: true, empty: null, nothing: "" }], ["data", [1]]],
    [[{ data: { a: 1 }, b: 1 }], null],
    [[{ id: "o", payment: { a: 1 } }], null],
    [[{ jsonrpc: "2.0", id: 1, result: { a: 1 } }], ["result", { a: 1 }]],
    [[{ data: 5 }], null],
    [[{ data: "x" }], null],
    [[{}], null],
    [[{ ok: true }], null],
    [[{ data: { a: 1 }, n: undefined }], ["data", { a: 1 }]]
  ] as ReadonlyArray<readonly [readonly [object], unknown]>)
    it(`3.3 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [answer] = given
      assert.deepStrictEqual(asJson(payloadOf(answer as never)), expected)
    })
})

describe("objectsIn", () => {
  for (const [given, expected] of [
    [[{ a: { x: 1 }, b: [1], c: 5, meta: { y: 1 }, d: null }], [["a", { x: 1 }]]]
  ] as ReadonlyArray<readonly [readonly [object], unknown]>)
    it(`3.3 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [answer] = given
      assert.deepStrictEqual(asJson(objectsIn(answer as never)), expected)
    })
})

describe("excerptOf", () => {
  for (const [given, expected] of [
    [
      [many(0, 100)],
      "k0,k1,k2,k3,k4,k5,k6,k7,k8,k9,k10,k11,k12,k13,k14,k15,k16,k17,k18,k19,k20,k21,k22,k23,k24,k25,k26,k27,k28,k29,k30,k31,k32,k33,k34,k35,k36,k37,k38,k39,k40,k41,k42,k43,k44,k45,k46,k47,k48,k49,k50,k51,k52,k53,k54,k55,k56,k57,k58,k59,k60,k61,k62,k63,k64,k65,k66,k67,k68,k69,k70,k71,k72,k73,k74,k75,k76,k77,k78,k79,k80,k81,k82,k83,k84,k85,k86,k87,k88,k89,k90,k91,k92,k93,k94,k95,k96,k97,k98,k99"
    ],
    [
      [{ ...many(0, 101), t1: 1 }],
      "t1,k0,k1,k2,k3,k4,k5,k6,k7,k8,k9,k10,k11,k12,k13,k14,k15,k16,k17,k18,k19,k20,k21,k22,k23,k24,k25,k26,k27,k28,k29,k30,k31,k32,k33,k34,k35,k36,k37,k38,k39,k40,k41,k42,k43,k44,k45,k46,k47,k48,k49,k50,k51,k52,k53,k54,k55,k56,k57,k58,k59,k60,k61,k62,k63,k64,k65,k66,k67,k68,k69,k70,k71,k72,k73,k74,k75,k76,k77,k78,k79,k80,k81,k82,k83,k84,k85,k86,k87,k88,k89,k90,k91,k92,k93,k94,k95,k96,k97,k98"
    ],
    [
      [{ ...many(0, 150), u1: 1, t1: 1 }],
      "t1,u1,k0,k1,k2,k3,k4,k5,k6,k7,k8,k9,k10,k11,k12,k13,k14,k15,k16,k17,k18,k19,k20,k21,k22,k23,k24,k25,k26,k27,k28,k29,k30,k31,k32,k33,k34,k35,k36,k37,k38,k39,k40,k41,k42,k43,k44,k45,k46,k47,k48,k49,k50,k51,k52,k53,k54,k55,k56,k57,k58,k59,k60,k61,k62,k63,k64,k65,k66,k67,k68,k69,k70,k71,k72,k73,k74,k75,k76,k77,k78,k79,k80,k81,k82,k83,k84,k85,k86,k87,k88,k89,k90,k91,k92,k93,k94,k95,k96,k97"
    ],
    [
      [{ ...many(0, 120), ...Object.fromEntries(Array.from({ length: 60 }, (_, i) => ["t" + i, i])) }],
      "t0,t1,t2,t3,t4,t5,t6,t7,t8,t9,t10,t11,t12,t13,t14,t15,t16,t17,t18,t19,t20,t21,t22,t23,t24,t25,t26,t27,t28,t29,t30,t31,t32,t33,t34,t35,t36,t37,t38,t39,t40,t41,t42,t43,t44,t45,t46,t47,t48,t49,k0,k1,k2,k3,k4,k5,k6,k7,k8,k9,k10,k11,k12,k13,k14,k15,k16,k17,k18,k19,k20,k21,k22,k23,k24,k25,k26,k27,k28,k29,k30,k31,k32,k33,k34,k35,k36,k37,k38,k39,k40,k41,k42,k43,k44,k45,k46,k47,k48,k49"
    ],
    [
      [{ ...many(0, 1_999), t1: 1, ...many(3_000, 5_001), t2: 1 }],
      "t1,t2,k0,k1,k2,k3,k4,k5,k6,k7,k8,k9,k10,k11,k12,k13,k14,k15,k16,k17,k18,k19,k20,k21,k22,k23,k24,k25,k26,k27,k28,k29,k30,k31,k32,k33,k34,k35,k36,k37,k38,k39,k40,k41,k42,k43,k44,k45,k46,k47,k48,k49,k50,k51,k52,k53,k54,k55,k56,k57,k58,k59,k60,k61,k62,k63,k64,k65,k66,k67,k68,k69,k70,k71,k72,k73,k74,k75,k76,k77,k78,k79,k80,k81,k82,k83,k84,k85,k86,k87,k88,k89,k90,k91,k92,k93,k94,k95,k96,k97"
    ],
    [
      [{ ...many(0, 2_000), t1: 1, ...many(3_000, 5_001) }],
      "k0,k1,k2,k3,k4,k5,k6,k7,k8,k9,k10,k11,k12,k13,k14,k15,k16,k17,k18,k19,k20,k21,k22,k23,k24,k25,k26,k27,k28,k29,k30,k31,k32,k33,k34,k35,k36,k37,k38,k39,k40,k41,k42,k43,k44,k45,k46,k47,k48,k49,k50,k51,k52,k53,k54,k55,k56,k57,k58,k59,k60,k61,k62,k63,k64,k65,k66,k67,k68,k69,k70,k71,k72,k73,k74,k75,k76,k77,k78,k79,k80,k81,k82,k83,k84,k85,k86,k87,k88,k89,k90,k91,k92,k93,k94,k95,k96,k97,k98,k99"
    ],
    [
      [{ ...many(0, 2_000), t1: 1, ...many(3_000, 4_999) }],
      "t1,k0,k1,k2,k3,k4,k5,k6,k7,k8,k9,k10,k11,k12,k13,k14,k15,k16,k17,k18,k19,k20,k21,k22,k23,k24,k25,k26,k27,k28,k29,k30,k31,k32,k33,k34,k35,k36,k37,k38,k39,k40,k41,k42,k43,k44,k45,k46,k47,k48,k49,k50,k51,k52,k53,k54,k55,k56,k57,k58,k59,k60,k61,k62,k63,k64,k65,k66,k67,k68,k69,k70,k71,k72,k73,k74,k75,k76,k77,k78,k79,k80,k81,k82,k83,k84,k85,k86,k87,k88,k89,k90,k91,k92,k93,k94,k95,k96,k97,k98"
    ]
  ] as ReadonlyArray<readonly [readonly [object], unknown]>)
    it(`3.3 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [answer] = given
      assert.deepStrictEqual(
        asJson(
          Object.keys(
            excerptOf(
              answer as never,
              (name) => name.startsWith("t"),
              (name) => name.startsWith("u")
            )
          ).join()
        ),
        expected
      )
    })
})
