/** Lists patterns of tokens of hosting platforms, code hosts and key formats, in addition to those of gitleaks. */
import { around, begins, type SecretPattern, token, within } from "./SecretPattern.ts"

/** The Base64 of `-----BEGIN `, of the kinds of private keys that can follow, and of no public key or certificate. */
const encodedKey = "LS0tLS1CRUdJTi(?:BSU0EgUFJJ|BQUklWQVRF|BFQyBQUklW|BPUEVOU1NI|BFTkNSWVBU|BEU0EgUFJJ|BQR1AgUFJJ)"

/** The patterns of platforms. */
export const platforms: ReadonlyArray<SecretPattern> = [
  // Yandex, OpenStack
  begins("yandex-iam-token", "t1.", 3.5, String.raw`t1\.[\w-]{20,600}={0,2}\.[\w-]{80,100}={0,2}`),
  token("yandex-api-key", "aqvn", 3.5, String.raw`AQVN[\w-]{35,38}`),
  token("yandex-secret-key", "ycp | ycm | yco", 3.5, String.raw`YC[PMO](?=[\w-]{0,37}\d)[\w-]{37}`),
  token("yandex-oauth-token", "y0_ag | y1_ag | y2_ag | y3_ag", 3.5, String.raw`y[0-3]_Ag[\w-]{48,100}`),
  begins("fernet-token", "gaaaaab", 3.5, String.raw`gAAAAAB[\w-]{70,3000}={0,2}`),
  // Azure
  within("azure-refresh-token", ".agab", 3.5, String.raw`\.AgAB[\w-]{100,3000}`),
  begins("microsoft-refresh-token", "m.c5", 3.5, String.raw`M\.C5\d{2}_\w{3,6}\.\d\.U\.[\w*!$-]{60,1500}`),
  // AWS, Baidu
  begins("aws-bedrock-key", "absk", 3.5, String.raw`ABSK[A-Za-z0-9+/]{100,300}={0,2}`),
  within("baidu-signature", "bce-auth-v", 2.5, String.raw`bce-auth-v\d\/[^\s"']{20,300}\/([0-9a-f]{64})(?![0-9a-f])`),
  // hosting
  token("render-key", "rnd_", 3, String.raw`rnd_[A-Za-z0-9]{28,40}`),
  token("vercel-blob-token", "vercel_blob_rw_", 3, String.raw`vercel_blob_rw_\w{30,80}`),
  token("netlify-token", "nfp_ | nfc_ | nfo_ | nfu_ | nfb_", 3, String.raw`nf[pcoub]_[A-Za-z0-9]{36,44}`),
  token("neon-key", "napi_", 3, String.raw`napi_[a-zA-Z0-9]{40,100}`),
  token("doppler-token", "dp.", 3, String.raw`dp\.(?:ct|pt|st|sa|scim|audit)\.(?:[\w-]{2,35}\.)?[A-Za-z0-9]{40,44}`),
  begins("tailscale-key", "tskey-", 3, String.raw`tskey-[a-z]{3,10}-[A-Za-z0-9]{8,40}-[A-Za-z0-9]{20,60}`),
  // code hosts, chats, observability
  token("bitbucket-app-password", "atbb", 3, String.raw`ATBB(?=[A-Za-z0-9]{0,40}\d)[A-Za-z0-9]{28,40}`),
  begins("atlassian-token", "atatt3 | atctt3", 3, String.raw`AT[AC]TT3[\w=-]{100,300}`),
  begins("slack-rotated-token", "xoxe.xox", 3, String.raw`xoxe\.xox[bp]-\d-[A-Za-z0-9]{100,300}`),
  token("new-relic-key", "nrak- | nrjs- | nriq- | nrii-", 3, String.raw`NR(?:AK|JS|IQ|II)-[\w-]{19,40}`),
  token("langsmith-key", "lsv2_", 3, String.raw`lsv2_[ps][tk]_[0-9a-f]{32}_[0-9a-f]{10}`),
  // mail, payment
  token("mailgun-key", "key-", 3, String.raw`key-[0-9a-f]{32}`),
  around("mailchimp-key", "-us", 3, 32, String.raw`(?<![\w-])[0-9a-f]{32}-us\d{1,2}(?![\w-])`),
  within(
    "paypal-token",
    "access_token$",
    2.5,
    String.raw`access_token\$(?:production|sandbox)\$([\w]{8,40}\$[0-9a-f]{32})`
  ),
  // key and token formats
  begins("encoded-private-key", "ls0tls1crudjti", 3.5, String.raw`${encodedKey}[A-Za-z0-9+/]{40,4000}={0,2}`),
  begins("encoded-docker-config", "eyjhdxrocyi6", 3.5, "eyJhdXRocyI6[A-Za-z0-9+/]{20,4000}={0,2}"),
  token(
    "paseto",
    ["v1", "v2", "v3", "v4"].flatMap((version) => [`${version}.local.`, `${version}.public.`]).join(" | "),
    3.5,
    String.raw`v[1-4]\.(?:local|public)\.[\w-]{40,3000}(?:\.[\w-]{1,1000})?`
  ),
  token("extended-private-key", "xprv | yprv | zprv | tprv", 3.5, "[xyzt]prv[1-9A-HJ-NP-Za-km-z]{100,110}"),
  within("jwk-private-part", '"d"', 4.2, String.raw`"d"[ \t]{0,3}:[ \t]{0,3}"([\w-]{40,800})"`),
  // verifiers of passwords
  within(
    "scram-verifier",
    "scram-sha-",
    3,
    String.raw`SCRAM-SHA-\d{1,3}\$\d{1,7}:[\w+/=]{8,100}\$([\w+/=]{20,120}:[\w+/=]{20,120})`
  ),
  within("mysql-password-hash", "'*", 2.5, String.raw`'\*([0-9A-F]{40})'`)
]

const passwords = "(?:password|passwd|passphrase|api-?key)"

/** The patterns of command lines, statements and markup. */
export const enclosed: ReadonlyArray<SecretPattern> = [
  within("sshpass", "sshpass", 0, String.raw`sshpass[ \t]+-p[ \t]{0,3}["']?(?![$<{*])([^\s"']{3,200})`),
  within(
    "redis-cli",
    "redis-cli",
    0,
    String.raw`redis-cli\b[^\n|;]{0,120}?[ \t]-a[ \t]{1,3}["']?(?![$<{*])([^\s"']{3,200})`
  ),
  within(
    "secure-string",
    "convertto-securestring",
    0,
    String.raw`ConvertTo-SecureString[ \t]+(?:-String[ \t]+)?["'](?![$<{*])([^"'\n]{3,200})["']`
  ),
  {
    ...within(
      "odbc-braces",
      "pwd={ | password={",
      2,
      String.raw`(?:pwd|password)=\{((?=[^{}\n]{0,128}[\d!@#$%^&*;])[^{}\n]{4,128})\}`
    ),
    ignoresCase: true
  },
  {
    ...within(
      "element",
      "password | passwd | passphrase | apikey | api-key",
      2.5,
      String.raw`(?<=<[\w:.-]{0,15})${passwords}[\w-]{0,20}(?:[ \t]+[^<>\n]{0,120})?>[ \t]{0,8}(?:<!\[CDATA\[[ \t]{0,8})?(?![$<{*[])((?=[^<>\]\s]{0,200}\d)[^<>\]\s]{6,300})`
    ),
    ignoresCase: true
  },
  {
    ...within(
      "property-list",
      "password< | passwd< | passphrase< | apikey< | api-key<",
      2.5,
      String.raw`${passwords}<\/key>\s{0,40}<string>(?![$<{*[])((?=[^<>\s]{0,200}\d)[^<>\s]{6,300})<`
    ),
    ignoresCase: true
  },
  {
    ...within(
      "session-cookie",
      "jsessionid= | phpsessid= | connect.sid= | asp.net_sessionid= | laravel_session=",
      3,
      String.raw`(?:jsessionid|phpsessid|connect\.sid|asp\.net_sessionid|laravel_session)=([\w%.+/=-]{16,500})`
    ),
    ignoresCase: true
  }
]
