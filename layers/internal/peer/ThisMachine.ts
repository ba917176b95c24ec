/** Recognises the names of this machine. The network cannot read connections to them. */

/** True for no host, a socket, `localhost`, `127.0.0.0/8` and `::1`. */
export const isThisMachine = (host: string): boolean =>
  host === "" || host.startsWith("/") || /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/iu.test(host)
