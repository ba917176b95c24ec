/** Rules over tokens: tags, codes and class names. The first token that has a row in its tables decides. */
import { ofAws } from "#domain/classification/codes/Aws"
import { ofBrowser } from "#domain/classification/codes/Browser"
import { ofCodePattern } from "./CodePattern.ts"
import { ofCurl } from "#domain/classification/codes/Curl"
import { ofTag } from "#domain/classification/codes/EffectTag"
import { ofErrno } from "#domain/classification/codes/Errno"
import type { Evidence } from "./Evidence.ts"
import { ofName } from "#domain/classification/codes/ExceptionName"
import { type Finding, finding, isOf, type Rule, type Strength } from "./Finding.ts"
import { ofGrpc } from "#domain/classification/codes/Grpc"
import { ofJsonRpc } from "#domain/classification/codes/JsonRpc"
import { ofMySql } from "#domain/classification/codes/MySql"
import { ofNode } from "#domain/classification/codes/NodeCode"
import { ofProvider } from "#domain/classification/codes/Provider"
import { ofSmtp } from "#domain/classification/codes/Smtp"
import { ofSqlite } from "#domain/classification/codes/Sqlite"
import { ofSqlState } from "#domain/classification/codes/SqlState"
import { diagnose, type Diagnosis, row, type Table } from "#domain/classification/codes/Diagnosis"

/** MongoDB's numbers for a duplicate key, on insert and on update. */
const mongo: Table = { 11000: diagnose("conflicting_value"), 11001: diagnose("conflicting_value") }

/** The tables of codes, the most specific first. */
const families: ReadonlyArray<readonly [family: string, lookup: (code: string) => Diagnosis | undefined]> = [
  ["mongo", (code) => row(mongo, code)],
  ["errno", ofErrno],
  ["node", ofNode],
  ["browser", ofBrowser],
  ["curl", ofCurl],
  ["jsonrpc", ofJsonRpc],
  ["smtp", ofSmtp],
  // five digits are a SQLSTATE only if the collector has recognised it
  ["sqlstate", (code) => (/^\d{5}$/.test(code) ? undefined : ofSqlState(code))],
  ["sqlite", ofSqlite],
  ["mysql", ofMySql],
  ["grpc", ofGrpc],
  ["provider", ofProvider],
  ["aws", ofAws],
  ["code", ofCodePattern]
]

/** Finds the row of a code, named `family:code`. */
const ofCode = (code: string): Finding | undefined => {
  for (const [family, lookup] of families) {
    const diagnosis = lookup(code)
    if (diagnosis !== undefined) return { name: code.includes(":") ? code : `${family}:${code}`, diagnosis }
  }
  return undefined
}

/** Finds the row of an exception class by its name, or by the code that the name contains (`ThrottlingException`). */
const ofClassName = (name: string): Finding | undefined => {
  const words = /(?:Error|Exception|Fault)$/.test(name) ? ofCodePattern(name) : undefined
  const diagnosis = ofName(name) ?? (/^[A-Z]/.test(name) ? (ofProvider(name) ?? ofAws(name) ?? words) : undefined)
  return diagnosis === undefined ? undefined : { name: `class:${name}`, diagnosis }
}

const ofEffectTag = (tag: string): Finding | undefined => {
  const diagnosis = ofTag(tag)
  return diagnosis === undefined ? undefined : { name: `effect:${tag}`, diagnosis }
}

const ofAnyTag = (tag: string): Finding | undefined => {
  const diagnosis = ofName(tag) ?? ofProvider(tag) ?? ofCodePattern(tag)
  return diagnosis === undefined ? undefined : { name: `tag:${tag}`, diagnosis }
}

const overTokens =
  (tokens: (evidence: Evidence) => ReadonlyArray<string>, lookup: (token: string) => Finding | undefined) =>
  (strength: Strength): Rule =>
  (evidence) => {
    for (const token of tokens(evidence)) {
      const found = lookup(token)
      if (found !== undefined && isOf(strength, found.diagnosis)) return finding(evidence, found.name, found.diagnosis)
    }
    return undefined
  }

/** Creates a rule over the tags of Effect's own errors. */
export const effectTags = overTokens(({ tags }) => tags, ofEffectTag)

/**
 * Creates a rule over the tags of other tagged errors (`UserNotFound`, `RateLimited`), read like class names and codes.
 */
export const otherTags = overTokens(({ tags }) => (tags.some((tag) => ofTag(tag) !== undefined) ? [] : tags), ofAnyTag)

/** Creates a rule over codes of any origin. */
export const codes = overTokens((evidence) => evidence.codes, ofCode)

/** Creates a rule over exception classes. */
export const names = overTokens((evidence) => evidence.names, ofClassName)
