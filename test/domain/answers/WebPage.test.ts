/** Tests which web pages are errors or have no content. */
import { asJson } from "./asJson.ts"
import { assert, describe, it } from "@effect/vitest"
import { errorTitleIn, isHtml, outageTitleIn, placeholderIn, titleOf } from "#domain/answers/WebPage"
import { errorOf, outageIn } from "#domain/answers/Outage"

const page = (title: string, body = ""): string =>
  `<html><head><title>${title}</title></head><body>${body}</body></html>`

describe("isHtml", () => {
  for (const [given, expected] of [
    [[page("x")], true],
    [["<!DOCTYPE html><html></html>"], true],
    [[" <!-- a --><html>"], true],
    [["<htmlx>"], false],
    [["x <html>"], false],
    [["\uFEFF<?xml a?><html>"], true],
    [[" ".repeat(1_994) + "<html>"], true],
    [[" ".repeat(1_996) + "<html>"], false]
  ] as ReadonlyArray<readonly [readonly [string], unknown]>)
    it(`3.4 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [text] = given
      assert.deepStrictEqual(asJson(isHtml(text)), expected)
    })
})

describe("titleOf", () => {
  for (const [given, expected] of [
    [[page(" Hello ")], "Hello"],
    [["<html><h1>Big</h1><title>T</title>"], "Big"],
    [["<html>x"], ""],
    [["<html><pre>P</pre>"], "P"],
    [[" ".repeat(20_000) + page("x")], ""]
  ] as ReadonlyArray<readonly [readonly [string], unknown]>)
    it(`3.4 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [text] = given
      assert.deepStrictEqual(asJson(titleOf(text)), expected)
    })
})

describe("outageTitleIn", () => {
  for (const [given, expected] of [
    [[page("503 Service Unavailable")], "503 Service Unavailable"],
    [[page("502 Bad Gateway", "<h1>x</h1>")], "502 Bad Gateway"],
    [[page("503")], null],
    [[page("HTTP 503")], null],
    [[page("Service Unavailable")], "Service Unavailable"],
    [[page("How to fix 503 Service Unavailable")], null],
    [[page("Hello", "<h1>503 Service Unavailable</h1>")], null],
    [[page("", "<h1>503 Service Unavailable</h1>")], "503 Service Unavailable"],
    [[page("Error", "<h1>503 Service Unavailable</h1>")], "503 Service Unavailable"],
    [[page("Application Error x", "<h2>Bad Gateway</h2>")], "Bad Gateway"],
    [[page("404 Not Found")], null],
    [[page("503 &ndash; Service Unavailable")], "503 Service Unavailable"],
    [[page("503 <b>Service</b>\n Unavailable")], "503 Service Unavailable"],
    [[page("503 Service Unavailable", "word ".repeat(580))], "503 Service Unavailable"],
    [[page("503 Service Unavailable", "word ".repeat(620))], null],
    [[page("503 Service Unavailable", "<script>" + "word ".repeat(620) + "</script>")], "503 Service Unavailable"],
    [[page("503 Service Unavailable", "<p " + "x".repeat(1_000) + ">")], "503 Service Unavailable"],
    [[page("503 Service Unavailable") + " ".repeat(39_900)], "503 Service Unavailable"],
    [[page("503 Service Unavailable") + " ".repeat(40_000)], null],
    [[page("x".repeat(121), "<h1>Bad Gateway</h1>")], "Bad Gateway"],
    [["503 Service Unavailable"], null],
    [[page("a.example | 503: 服务不可用")], "a.example | 503: 服务不可用"]
  ] as ReadonlyArray<readonly [readonly [string], unknown]>)
    it(`3.4 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [text] = given
      assert.deepStrictEqual(asJson(outageTitleIn(text)), expected)
    })
})

describe("errorTitleIn", () => {
  for (const [given, expected] of [
    [[page("502 Bad Gateway")], "502 Bad Gateway"],
    [[page("404 Not Found")], "404 Not Found"],
    [[page("Access Denied")], "Access Denied"],
    [[page("Page not found - Shop")], "Page not found - Shop"],
    [[page("Cannot GET /a")], "Cannot GET /a"],
    [[page("Hello")], null],
    [[page("")], null],
    [
      [page("Access Denied " + "x".repeat(66))],
      "Access Denied xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
    ],
    [[page("Access Denied " + "x".repeat(67))], null],
    [["Access Denied"], null],
    [[page("Unauthorized")], "Unauthorized"],
    [[page("Endpoint does not exist")], "Endpoint does not exist"],
    [[page("Notable found")], null]
  ] as ReadonlyArray<readonly [readonly [string], unknown]>)
    it(`3.4 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [text] = given
      assert.deepStrictEqual(asJson(errorTitleIn(text)), expected)
    })
})

describe("placeholderIn", () => {
  for (const [given, expected] of [
    [["Loading..."], "Loading..."],
    [["Please wait"], "Please wait"],
    [["# Title\nLoading…"], "Loading…"],
    [["Title: x\nURL: https://a\n\nLoading..."], "Loading..."],
    [["Loading the dishwasher"], null],
    [["Please enable JavaScript"], "enable JavaScript"],
    [["Are you a robot?"], "Are you a robot"],
    [["We value your privacy"], "We value your privacy"],
    [["Sign in to continue"], "Sign in to continue"],
    [["hello"], null],
    [[""], null],
    [["  "], null],
    [["404 not found"], "404 not found"],
    [["We value your privacy " + "x".repeat(678)], "We value your privacy"],
    [["We value your privacy " + "x".repeat(679)], null],
    [["Please enable JavaScript " + "x".repeat(1_475)], "enable JavaScript"],
    [["Please enable JavaScript " + "x".repeat(1_476)], null],
    [["We value your privacy [a](https://" + "x".repeat(700) + ")"], "We value your privacy"]
  ] as ReadonlyArray<readonly [readonly [string], unknown]>)
    it(`3.4 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [text] = given
      assert.deepStrictEqual(asJson(placeholderIn(text)), expected)
    })
})

describe("outageIn", () => {
  for (const [given, expected] of [
    [[page("503 Service Unavailable")], "503 Service Unavailable"],
    [[page("Hello")], null],
    [["503 Service Unavailable"], "503 Service Unavailable"],
    [["503"], null],
    [["系统繁忙，请稍后再试"], "系统繁忙，请稍后再试"],
    [["Error: connection refused"], null],
    [["Error: rate limit exceeded"], "Error: rate limit exceeded"],
    [["Too Many Requests"], "Too Many Requests"],
    [["hello"], null],
    [["503 Service Unavailable\nx"], null],
    [[" Bad Gateway "], "Bad Gateway"],
    [["Permission denied"], null],
    [["Error: user not found"], null],
    [["503 Service Unavailable" + " ".repeat(200)], "503 Service Unavailable"],
    [["503 Service Unavailable" + " ".repeat(320)], null],
    [
      ["Error: 503 " + "x".repeat(149)],
      "Error: 503 xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
    ],
    [["Error: 503 " + "x".repeat(150)], null]
  ] as ReadonlyArray<readonly [readonly [string], unknown]>)
    it(`3.4 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [text] = given
      assert.deepStrictEqual(asJson(outageIn(text)), expected)
    })
})

describe("errorOf", () => {
  for (const [given, expected] of [
    [["503 Service Unavailable"], ["503 Service Unavailable", { status: 503, message: "503 Service Unavailable" }]],
    [["Too Many Requests"], ["Too Many Requests", "Too Many Requests"]],
    [["Error 5030"], ["Error 5030", "Error 5030"]],
    [["x 408"], ["x 408", { status: 408, message: "x 408" }]]
  ] as ReadonlyArray<readonly [readonly [string], unknown]>)
    it(`3.4 ${JSON.stringify(given).slice(0, 90)}: ${JSON.stringify(expected).slice(0, 60)}`, () => {
      const [notice] = given
      assert.deepStrictEqual(asJson([errorOf(notice).message, errorOf(notice).evidence]), expected)
    })
})
