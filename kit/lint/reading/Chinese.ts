/** Recognises statements of a Chinese description about a tool: its access, when to use it, and when not. */
import { halfWidth } from "#kit/text/HalfWidth"
import type { Access } from "effect-toolguard/internal/domain/tool/Access"

/** The characters of the statements below that traditional Chinese writes differently, next to their simplified forms. */
const forms =
  "刪删銷销毀毁廢废載载創创編编設设寫写發发傳传導导動动關关預预訂订單单蓋盖啟启執执詢询檢检獲获讀读統统計计較较驗验證证覽览僅仅無无沒没複复復复將将會会變变數数據据內内狀状態态記记錄录東东時时認认過过卻却隨随後后並并轉转歸归檔档減减標标籤签適适應应須须請请調调當当則则場场況况議议許许負负責责處处還还為为項项這这該该個个雙双條条給给開开從从對对間间級级資资佔占檻槛選选範范圍围舉举價价屬属於于來来們们嚴严絕绝"

const simplified: ReadonlyMap<string, string> = new Map(
  Array.from({ length: forms.length / 2 }, (_, index) => [forms.charAt(2 * index), forms.charAt(2 * index + 1)])
)

/** Returns a text in simplified characters and half-width punctuation, one for one. */
export const plain = (text: string): string =>
  halfWidth(text).replace(/\p{Script=Han}/gu, (character) => simplified.get(character) ?? character)

const han = /\p{Script=Han}/u
const otherEastAsian = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u

/** True if a sentence seems to be Chinese: it has Chinese characters, but neither Japanese nor Korean letters. */
export const isChinese = (sentence: string): boolean => han.test(sentence) && !otherEastAsian.test(sentence)

/** Verbs at the start of a clause, by the access that they suggest. */
const destroying = "(?:批量)?(?:删除|移除|清空|清除|取消|撤销|销毁|注销|作废|卸载)"
const writing =
  "(?:批量)?(?:创建|建立|新建|新增|添加|增加|插入|更新|修改|变更|编辑|设置|写入|提交|发送|发布|上传|保存|导入|重命名|移动|分配|关闭|预订|预定|下单|支付|退款|覆盖|启动|停止|执行)"
const reading =
  "(?:批量)?(?:查询|查找|查看|搜索|检索|获取|读取|列出|返回|统计|计算|比较|验证|检查|分析|预览|只读|仅读|唯读)"

const start = String.raw`(?:^|[.,;:!?。、()\n]|(?:本|此|该)(?:工具|接口|函数)(?:用于|可以|会|将)?|(?<![不勿]|不适|不要|不应|不可以?|不能|不得|不宜|禁止|避免)(?:用于|用来|可以|可))\s*`

const verbs: ReadonlyArray<readonly [RegExp, Access]> = [
  [new RegExp(`^${start}${destroying}`, "u"), "destructive"],
  [new RegExp(`^${start}${writing}`, "u"), "write"],
  [new RegExp(`^${start}${reading}`, "u"), "read"]
]

/** Returns the access that the verb at the start of a description suggests. Returns `undefined` if it begins otherwise. */
export const leadingAccess = (description: string): Access | undefined =>
  verbs.find(([verb]) => verb.test(plain(description).trimStart()))?.[1]

const anyVerb = new RegExp(`${start}(?:${destroying}|${writing}|${reading})`, "u")
const writingVerb = new RegExp(`${start}(?:会|将)?(?:${destroying}|${writing})`, "u")

const explicit =
  /只读|仅读|唯读|读取|读操作|写入|写操作|写数据|无副作用|没有副作用|破坏性|不可逆|不可恢复|不(?:会)?(?:修改|改变|更改|写入|变更)|(?:会|将)(?:修改|改变|更改|创建|新建|新增|添加|更新|删除|移除|清空|覆盖|发送|变更|提交|取消)/u

/** True if a description says whether its tool reads or writes. A verb at the start of a clause counts. */
export const saysAccess = (text: string): boolean => explicit.test(plain(text)) || anyVerb.test(plain(text))

/**
 * True if a description explicitly says that its tool only reads, or that it changes something. The only verb of
 * reading that counts is 读取.
 */
export const statesAccess = (text: string): boolean => explicit.test(plain(text)) || writingVerb.test(plain(text))

const everything = "(?:任何)?(?:数据|资料|内容|状态|记录|文件|系统|东西)?"
const readOnly = new RegExp(
  `(?<![非是]|不是)(?:只读|仅读|唯读)(?:操作|工具|接口|查询)?(?=$|[.,;!?。、()\\n])|不(?:会)?(?:修改|改变|更改|写入|变更|影响)${everything}(?=$|[.,;!?。()\\n])|(?:无|没有)副作用`,
  "u"
)
const conditional = /除非|如果|若|当|默认|时|模式|之前|之后/u
const lasting = /不可逆|不可恢复|无法恢复|不可撤销|(?<![非不无]|不是|没有)破坏性/u
const changes =
  /写入操作|写操作|非只读|不是只读|有副作用|(?:本|此|该)(?:工具|接口|函数)(?:会|将|用于)?(?:直接|永久)?(?:修改|改变|更改|创建|新建|新增|添加|更新|写入|覆盖|发送|提交)|(?:^|[^不])(?:会|将)(?:直接|永久)?(?:修改|改变|更改|覆盖|写入)/u
const destroys =
  /(?:(?:本|此|该)(?:工具|接口|函数)|(?<![不未无没])[会将])(?:会|将|用于)?(?:直接|永久)?(?:删除|移除|清空|清除|销毁)|永久(?:删除|移除|清空|清除)/u

const moving = "(?:移动|移至|归档|存档|转移|记录到|登记|扣除|扣减|标记|通知|推送|重置|恢复)"

/** Matches a change after a word of contrast or of sequence: `不会删除数据,但会移动记录`. */
const restriction = new RegExp(
  `(?:但是?|不过|然而|而是|而会|只是|只会|却|随后|然后|接着|最后|同时|并(?=会|将))[^.;!?。\\n]{0,30}?(?<![不未无没]|不会|不能|不再|没有|无需)(${destroying}|${writing}|${moving})(?!的|时间|日志|结果|内容|历史)`,
  "u"
)

/** Returns the access that a clause after a contrast states. */
const restricted = (clause: string): Access | undefined => {
  const [, verb] = restriction.exec(clause) ?? []
  return verb === undefined ? undefined : new RegExp(destroying, "u").test(verb) ? "destructive" : "write"
}

/**
 * Returns the access that a Chinese description states. A change after a word of contrast or of sequence, and a verb of
 * writing or destroying at the start, are likely statements; all other statements are certain. A verb of reading at the
 * start states nothing.
 */
export const statedAccess = (
  description: string
): { readonly access: Access; readonly isCertain: boolean } | undefined => {
  const clauses = plain(description)
    .split(/[.;!?。\n]+/u)
    .filter((sentence) => isChinese(sentence))
  if (clauses.some((clause) => lasting.test(clause) || destroys.test(clause)))
    return { access: "destructive", isCertain: true }
  if (clauses.some((clause) => changes.test(clause))) return { access: "write", isCertain: true }
  const changed = clauses.map(restricted).find((access) => access !== undefined)
  if (changed !== undefined) return { access: changed, isCertain: false }
  if (clauses.some((clause) => readOnly.test(clause) && !conditional.test(clause)))
    return { access: "read", isCertain: true }
  const leading = clauses.length === 0 ? undefined : leadingAccess(description)
  return leading === undefined || leading === "read" ? undefined : { access: leading, isCertain: false }
}

const negated = String.raw`(?<![不勿非]|不可|不能|不要|不得|不应|不宜|禁止|避免|并非|不是)`
const forbidding = /(?:不要|不应|不可|不能|不得|请勿|切勿|勿|禁止|避免)(?:使用|调用|用)/u

const purpose = new RegExp(
  `${negated}(?:适用|(?<!适)用[于来以])|(?:使用|应用|适用)场景|何时使用|(?:请|可|应|须)先?(?:使用|调用)(?:本|此|该)`,
  "u"
)
const condition = /(?:当|在|如果?|若|需要|想要?).{1,60}?(?:时|的时候|情况下|之前|之后|前|后|则|就)/u

const sentences = (text: string): ReadonlyArray<string> => plain(text.slice(0, 10_000)).split(/[.;!?。\n]+/u)

/** True if a description says when to use its tool. */
export const saysWhen = (text: string): boolean =>
  sentences(text).some((sentence) => purpose.test(sentence) || (condition.test(sentence) && !forbidding.test(sentence)))

const loosePurpose =
  /不适用|[请切]勿|不(?:用|应|可|能|要|得|宜|支持|建议|允许|包含|包括|负责|处理|会|返回|是)|禁止|避免|并非|而非|除非|改用|[仅只](?:限|能|支持|适用|用于|返回|在|当|对)/u
const strictPurpose =
  /不适用|不(?:要|应|应该|可|可以|能|得|宜|建议|是)?(?:用于|用来|用作|使用|调用)|(?:不(?:要|应|应该|可以?|能|得|宜)|勿)用(?:它|本|此|该)|(?:何时|什么时候)不(?:用|应|该)|[请切]勿(?!拼接|注入)|(?:禁止|避免|勿)(?:使用|调用|用)|而非|改用|[仅只](?:限于?|适用于|用于|在|当)|(?:请|应|须|则|时)(?:改)?(?:使用|用|调用)\s*[`「“"]?[a-z][a-z0-9]*_[a-z0-9_]+/u

/** True if a description says when not to use its tool, or what it does not do. */
export const saysWhenNot = (text: string): boolean => loosePurpose.test(plain(text))

/** True if a description explicitly says what its tool is not for, or names the tool to use instead. */
export const forbidsUse = (text: string): boolean => strictPurpose.test(plain(text))
