import { expect, test } from "vitest"
import { double, isPositive, square } from "./Sample.ts"

test("doubles", () => expect(double(3)).toBe(6))

test("squares", () => expect(square(3)).toBe(9))

test("recognises positive numbers", () => expect([isPositive(1), isPositive(-1)]).toEqual([true, false]))
