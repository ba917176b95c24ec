/**
 * Phrases of services in Chinese, in simplified and traditional characters. They are matched after the general English
 * phrases.
 *
 * Chinese does not separate words, so a phrase consists of a thing and its state (`磁盘空间` and `不足`), and each pattern
 * excludes the compounds in which its word has another meaning: `磁盘满意度`, `限流规则`, `超时时间`. A negated failure does not
 * count: `没有临时故障`, `不是网络超时`.
 */
import { type Phrase, phrase } from "./Phrase.ts"
import { diagnose } from "#domain/classification/codes/Diagnosis"

/** Matches every text that a row below can match. The rows are skipped for an error that does not match it. */
export const chineseStem = /[\u3400-\u9FFF]/

/** Words for settings: `限流规则` is a rule about rate limits, and not a failure. */
const setting = "(?:规则|規則|策略|配置|设置|設置|設定|参数|參數|阈值|閾值|时间|時間|值)"

/** Words for exhaustion, which follow the word for the thing. */
const usedUp =
  "(?:已|已经|已經|被)?(?:超限|超出|超过|超過|超额|超額|用尽|用盡|用完|耗尽|耗盡|不足|不够|不夠|达到上限|達到上限|达上限|達上限)"

/** A negation, and the words that may occur between the negation and the negated word: `没有发生网络` before `超时`. */
const negated =
  "(?<!(?:没有|沒有|不是|不属于|不屬於|并非|並非|非|无|無)" +
  "(?:任何|因为|因為|由于|由於|发生|發生|出现|出現|遇到|临时性?|臨時性?|暂时性?|暫時性?|网络|網路|網絡|系统|系統|" +
  "服务器?|服務器?|伺服器|请求|請求|调用|呼叫|连接|連接|連線|数据库|資料庫|操作){0,3})"

/** Words for an exception: `内存不足以外` is everything but exhausted memory. */
const excepted = "(?!(?:错误|錯誤|故障|问题|問題)?(?:以外|之外))"

/** Returns a phrase that matches neither after a negation nor before a word for an exception. */
const stated = ({ source }: RegExp): RegExp => new RegExp(`${negated}(?:${source})${excepted}`)

export const chinese: ReadonlyArray<Phrase> = [
  phrase("chinese:rate", diagnose("rate_limited"), [
    stated(new RegExp(`(?:限流|流量限制|频率限制|頻率限制|速率限制)(?!${setting})`)),
    stated(
      /频繁|頻繁|(?:频率|頻率|速率)(?:过|過|太|超)|(?:请求|請求|调用|呼叫|并发)(?:次数|次數|数|數|量)?(?:过多|過多|太多)/
    )
  ]),
  phrase("chinese:tokens", diagnose("context_limit"), [
    stated(
      new RegExp(
        `(?:token|令牌|词元|詞元)s?\\s*(?:数量|數量|总数|總數|数|數|长度|長度|用量|限制|上限)?${usedUp}|(?<![\\u3400-\\u9FFF])(?:输入|輸入)(?:内容|內容|文本)?(?:超长|超長|过长|過長|太长|太長)|(?:上下文|提示词|提示詞)(?:窗口|視窗)?(?:长度|長度|token数?)?(?:超限|超出|超过|超過|超长|超長|过长|過長|太长|太長)|超(?:出|过|過)(?:最大|模型)?(?:的)?\\s*(?:上下文|tokens?\\s*(?:数|數|限|上限|长|長)|令牌数)`
      )
    )
  ]),
  phrase("chinese:quota", diagnose("quota_exceeded"), [
    new RegExp(`(?:配额|配額|额度|額度)(?!${setting})`),
    stated(/余额不足|餘額不足|次数已|次數已/),
    stated(new RegExp(`(?:token|令牌|词元|詞元|调用|呼叫|费用|費用)s?\\s*(?:预算|預算)${usedUp}`)),
    stated(new RegExp(`超(?:出|过|過)\\s*(?:token|令牌|词元|詞元)s?\\s*(?:预算|預算)`)),
    new RegExp(`^(?:预算|預算)${usedUp}[\u3002.!\uFF01]?$|^超(?:出|过|過)(?:预算|預算)[\u3002.!\uFF01]?$`)
  ]),
  phrase("chinese:memory", diagnose("out_of_memory"), [
    stated(
      new RegExp(
        `(?:内存|內存|記憶體|记忆体|显存|顯存)(?:空间|空間|资源|資源|容量)?(?:${usedUp}|已?满|已?滿|溢出|分配失败|分配失敗)`
      )
    ),
    /(?:无法|無法|不能)(?:再)?分配(?:更多)?(?:内存|內存|記憶體)/
  ]),
  phrase("chinese:disk", diagnose("disk_full"), [
    stated(
      new RegExp(
        `(?:磁盘|磁碟|硬盘|硬碟|存储|儲存|网盘|云盘|雲端硬碟|分区|分割區|设备上|裝置上)(?:的)?(?:剩余|剩餘|可用)?(?:空间|空間|容量|配额|配額)?(?:${usedUp}|已?(?:满|滿)(?![意足分])|写满|寫滿)`
      )
    ),
    /(?:没有|沒有|无|無)(?:足够的|足夠的|剩余|剩餘|可用)?(?:的)?(?:磁盘|磁碟|硬盘|硬碟|存储|儲存)空[间間]/,
    /^(?:剩余|剩餘|可用)?空[间間](?:不足|不够|不夠|已满|已滿)[\u3002.!\uFF01]?$/
  ]),
  phrase("chinese:session", diagnose("unauthorized"), [
    /(?:登录|登錄|登入|会话|會話|session)(?:已经|已經|已|信息|状态|狀態)?(?:超时|逾时|逾時|超時|过期|過期|失效)/,
    /(?:token|令牌|凭证|憑證|凭据)\s*(?:已经|已經|已|信息)?(?:过期|過期|失效|无效|無效|错误|錯誤)/
  ]),
  phrase("chinese:transient", diagnose("temporary_failure"), [
    stated(new RegExp(`(?:超时|逾时|逾時|超時)(?!${setting})`)),
    /(?<!请勿|請勿|不要|不必|无需|無需)(?:稍后|稍後|稍候)(?:再)?(?:重)?[试試]/,
    stated(
      /繁忙|开小差|開小差|(?:系统|系統|服务|服務|服务器|伺服器|平台|接口)(?:正在)?(?:维护|維護|升级|升級)中|(?:系统|系統|服务|服務)(?:异常|異常|错误|錯誤|故障)|(?:服务|伺服|服務)器?(?:异常|異常|错误|錯誤|故障|不可用|无响应|無回應)/
    ),
    stated(
      /(?:临时|臨時|暂时|暫時)(?:性)?(?:的)?(?:网络|網路|服务|服務|系统|系統)?(?:故障|错误|錯誤|中断|中斷|异常|異常|不可用|无法(?:访问|使用|连接)|無法(?:存取|使用|連線)|失败|失敗)/
    ),
    stated(
      /(?:网络|網路|網絡|连接|連接|連線)(?:已|被)*(?:失败|失敗|中断|中斷|断开|斷開|重置|拒绝|拒絕|丢失|丟失|异常|異常|错误|錯誤|故障|不稳定|不穩定|不可用)/
    )
  ]),
  phrase("chinese:configuration", diagnose("misconfigured"), [
    /(?:连接|連接|連線)(?:字符)?(?:串|字串)|(?:未|没有|沒有|尚未)配置|配置(?:文件)?(?:错误|錯誤|缺失|有误)|环境变量|環境變數/
  ]),
  phrase("chinese:permission", diagnose("permission_denied"), [
    stated(/(?:权限|權限)(?:已|已经|已經)?(?:被|遭到?)?(?:系统|系統)?(?:拒绝|拒絕)/),
    stated(/(?:权限|權限)(?:错误|錯誤)/)
  ]),
  phrase("chinese:rights", diagnose("unauthorized"), [
    /未授权|未授權|未经授权|未經授權|未登录|未登錄|未登入|未认证|未認證|请先?登[录錄入]|請先?登[录錄入]|认证失败|認證失敗|鉴权|鑑權|密钥|密鑰|金鑰/,
    /(?:无|無|没有|沒有|缺少|缺乏)[^,;\uFF0C\u3002\uFF1B\n]{0,8}(?:权限|權限)|(?:权限|權限)(?:不足|不够|不夠|受限)|(?:无|無)(?:权|權)(?:访问|存取|操作|查看|执行|執行|使用|限)/,
    /(?:拒绝|拒絕|禁止)(?:访问|訪問|存取|操作)|(?:访问|訪問|存取)(?:已|被)*(?:拒绝|拒絕|禁止)/
  ]),
  phrase("chinese:missing", diagnose("unknown_reference"), [
    /不存在|未找到|找不到|没有找到|沒有找到|无法找到|無法找到|未检索到|未查询到|查无|查無/
  ]),
  phrase("chinese:argument", diagnose("invalid_request"), [
    /参数|參數|无效|無效|非法|格式(?:错误|錯誤|不正确|不正確)|缺少|不能为空|不能為空|必填|不合法/
  ])
]
