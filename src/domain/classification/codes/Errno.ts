/** Errors of the operating system, by name (POSIX, getaddrinfo, Winsock) and by number (`[Errno 13]`, `os error 2`). */
import { diagnose, type Diagnosis, each, noAccess, row, type Table, unknownHost } from "./Diagnosis.ts"

/** Names as Node, libuv and C print them. */
const errno: Table = {
  ...each(diagnose("unknown_reference"), "ENOENT ESRCH ENXIO ENODEV ENODATA"),
  ...each(noAccess, "EACCES EPERM"),
  ...each(diagnose("conflicting_value"), "EEXIST ENOTEMPTY"),
  ...each(
    diagnose("invalid_request"),
    `
    ENOTDIR EISDIR EINVAL ENAMETOOLONG ELOOP EDOM ERANGE EILSEQ ESPIPE EDESTADDRREQ EMSGSIZE EXDEV
  `
  ),
  ...each(diagnose("lock_conflict"), "EBUSY ETXTBSY EDEADLK EDEADLOCK ENOLCK"),
  ...each(diagnose("temporary_failure"), "EAGAIN EWOULDBLOCK EINTR ESTALE"),
  ...each(diagnose("out_of_memory"), "ENOMEM"),
  ...each(diagnose("disk_full"), "ENOSPC EDQUOT"),
  ...each(diagnose("too_many_open"), "EMFILE ENFILE EUSERS ENOBUFS"),
  ...each(diagnose("limit_exceeded"), "EFBIG EMLINK EOVERFLOW"),
  ...each(diagnose("arguments_too_large"), "E2BIG"),
  ...each(diagnose("wrong_state"), "EROFS EADDRINUSE EISCONN EALREADY ENOTBLK"),
  ...each(
    diagnose("unsupported"),
    `
    ENOSYS ENOTSUP EOPNOTSUPP ENOTTY EAFNOSUPPORT EPROTONOSUPPORT ESOCKTNOSUPPORT EPFNOSUPPORT ENOPROTOOPT
    EPROTOTYPE
  `
  ),
  ...each(diagnose("misconfigured"), "ENOEXEC EADDRNOTAVAIL ELIBBAD ELIBACC EPROTO"),
  ...each(diagnose("tool_failed"), "EIO EBADF ECHILD ENOTSOCK EFAULT EREMOTEIO"),
  ...each(
    diagnose("connection_failed"),
    `
    ECONNREFUSED EHOSTUNREACH ENETUNREACH EHOSTDOWN ENETDOWN ENONET EAI_AGAIN EAI_FAIL EAI_SYSTEM EAI_MEMORY
    EREFUSED ESERVFAIL
  `
  ),
  ...each(unknownHost, "ENOTFOUND EAI_NONAME EAI_NODATA EAI_ADDRFAMILY"),
  ...each(
    diagnose("connection_lost"),
    "ECONNRESET ECONNABORTED EPIPE ENOTCONN ESHUTDOWN ENETRESET ENOLINK ECOMM EREMCHG"
  ),
  ...each(diagnose("timeout"), "ETIMEDOUT ETIME ESOCKETTIMEDOUT ECONNTIMEDOUT"),
  ...each(diagnose("timeout"), "ECANCELED ABORT_ERR")
}

const linux: Readonly<Record<number, string>> = {
  1: "EPERM",
  2: "ENOENT",
  3: "ESRCH",
  4: "EINTR",
  5: "EIO",
  6: "ENXIO",
  7: "E2BIG",
  8: "ENOEXEC",
  9: "EBADF",
  10: "ECHILD",
  11: "EAGAIN",
  12: "ENOMEM",
  13: "EACCES",
  14: "EFAULT",
  16: "EBUSY",
  17: "EEXIST",
  18: "EXDEV",
  19: "ENODEV",
  20: "ENOTDIR",
  21: "EISDIR",
  22: "EINVAL",
  23: "ENFILE",
  24: "EMFILE",
  25: "ENOTTY",
  26: "ETXTBSY",
  27: "EFBIG",
  28: "ENOSPC",
  29: "ESPIPE",
  30: "EROFS",
  31: "EMLINK",
  32: "EPIPE",
  33: "EDOM",
  34: "ERANGE",
  35: "EDEADLK",
  36: "ENAMETOOLONG",
  37: "ENOLCK",
  38: "ENOSYS",
  39: "ENOTEMPTY",
  40: "ELOOP",
  // macOS; Linux has ENODATA at 61, which few programs report.
  61: "ECONNREFUSED",
  62: "ETIME",
  71: "EPROTO",
  75: "EOVERFLOW",
  84: "EILSEQ",
  88: "ENOTSOCK",
  90: "EMSGSIZE",
  92: "ENOPROTOOPT",
  93: "EPROTONOSUPPORT",
  95: "EOPNOTSUPP",
  97: "EAFNOSUPPORT",
  98: "EADDRINUSE",
  99: "EADDRNOTAVAIL",
  100: "ENETDOWN",
  101: "ENETUNREACH",
  102: "ENETRESET",
  103: "ECONNABORTED",
  104: "ECONNRESET",
  105: "ENOBUFS",
  106: "EISCONN",
  107: "ENOTCONN",
  108: "ESHUTDOWN",
  110: "ETIMEDOUT",
  111: "ECONNREFUSED",
  112: "EHOSTDOWN",
  113: "EHOSTUNREACH",
  114: "EALREADY",
  116: "ESTALE",
  122: "EDQUOT",
  125: "ECANCELED",
  // These macOS numbers are rare on Linux. The negative numbers are those of getaddrinfo on Linux.
  48: "EADDRINUSE",
  54: "ECONNRESET",
  60: "ETIMEDOUT",
  63: "ENAMETOOLONG",
  65: "EHOSTUNREACH",
  66: "ENOTEMPTY",
  69: "EDQUOT",
  [-2]: "EAI_NONAME",
  [-3]: "EAI_AGAIN",
  [-4]: "EAI_FAIL",
  [-5]: "EAI_NODATA",
  [-8]: "EINVAL"
}

const windows: Readonly<Record<number, string>> = {
  2: "ENOENT",
  3: "ENOENT",
  5: "EACCES",
  8: "ENOMEM",
  14: "ENOMEM",
  17: "EXDEV",
  19: "EROFS",
  32: "EBUSY",
  33: "EBUSY",
  39: "ENOSPC",
  80: "EEXIST",
  112: "ENOSPC",
  123: "EINVAL",
  145: "ENOTEMPTY",
  183: "EEXIST",
  193: "ENOEXEC",
  206: "ENAMETOOLONG",
  267: "ENOTDIR",
  10013: "EACCES",
  10024: "EMFILE",
  10048: "EADDRINUSE",
  10049: "EADDRNOTAVAIL",
  10051: "ENETUNREACH",
  10053: "ECONNABORTED",
  10054: "ECONNRESET",
  10060: "ETIMEDOUT",
  10061: "ECONNREFUSED",
  10065: "EHOSTUNREACH",
  11001: "ENOTFOUND",
  11002: "EAI_AGAIN"
}

/** Returns the diagnosis of `ENOENT`, `errno:2`, `win:5` or `WSAECONNRESET`. */
export const ofErrno = (code: string): Diagnosis | undefined => {
  if (code.startsWith("errno:")) return row(errno, linux[Number(code.slice(6))] ?? "")
  if (code.startsWith("win:")) return row(errno, windows[Number(code.slice(4))] ?? "")
  return row(errno, code.startsWith("WSAE") ? code.slice(3) : code)
}
