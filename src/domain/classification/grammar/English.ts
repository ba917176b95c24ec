/**
 * English words of failures by role. Longer than 300 lines, because it is one table.
 */
import type { Vocabulary } from "./Role.ts"

export const english: Vocabulary = {
  credential: `
    credential*, password*, passphrase, login, log in, logged in, logon, sign in, signed in, api key*, apikey*,
    access key*, secret key*, app key, application key, user key, license key, auth key, access token*, auth token*,
    bearer token*, refresh token*, id token, security token, session token, personal access token, token expired,
    token has expired, token is expired, expired token, invalid token, jwt, authorization header, authentication,
    authenticate, unauthenticated, two factor, 2fa, mfa, one time code, oauth*, client secret, invalid signature,
    signature mismatch, valid key, session has timed out, session timed out, session timeout, session expired,
    session has expired, login expired, token revoked, token has been revoked, expired session, invalid session,
    session is invalid, session is no longer valid, session invalid, please log in, please sign in, please login,
    login again, log in again, sign in again, csrf token*, xsrf token*, invalid grant, refresh token, revoked,
    has been revoked, default credentials, not logged in, token is, token has, token was, token not, token required,
    token provided, token missing, missing token, token mismatch, token verification, token could not,
    provided token, your token, the token, api token*, request signature, signature does not match,
    signature verification, signature is invalid, webhook signature, signature validation, wrong token, auth failed,
    authentication failed, login failed, login incorrect, passcode, pin code, access code, identity could not,
    identity provider, sso, saml, login required, account credentials, service account key, app password,
    private key, public key, publickey, one time password, otp
  `,
  right: `
    permission*, privilege*, have access, access to, no access, access rights, missing access, enough rights,
    admin required, admin rights, administrator, superuser, authorization, approval, iam, policies, security policy,
    role, rights, grant, access is, access was, access denied, owner of, missing scope, insufficient scope,
    required scope, required scopes, oauth scope, consent, member of role, must be owner, must be a member,
    only root, only owner, only admin*, only the owner, only members, only users with, must be root, be root,
    as root, authorization violation, permissions violation, acl, rbac, not a member, not an owner, not the owner,
    not an admin*, superuser*, owners and admins, organization owner, collaborator*, entitlement*,
    is not a member, are not a member, is not an admin, is not an administrator, are not an admin, is not an owner,
    is not the owner, are not the owner
  `,
  quota: `
    quota*, usage limit*, spending limit*, spend limit, allotment, free tier,
    monthly limit, daily limit, hard limit, disk quota, no resource package, top up, prepaid,
    credit balance,
    already issued,
    used all of your, free minutes, build minutes
  `,
  period: `
    per day, a day, daily, per month, a month, monthly, per week, weekly, per year, yearly, 24 hours, today,
    this month, billing period, today's, tomorrow, next month, next day, each day, each month, daily limit,
    monthly limit
  `,
  rate: `
    rate limit*, ratelimit*, requests, per second, per minute, per hour, per min, per sec,
    qps, rpm, tpm, rps, invocations, api calls,
    query limit, request limit, requests limit, api limit, message rate
  `,
  throttled: `
    throttl*, rate limited, ratelimited, rate limiting, too many requests, too many calls, too many queries,
    slow down, too fast, too quickly, too frequently, too often, rate exceeded, flood wait, flood control,
    request rate, too many attempts, too many login attempts, too many failed, provisioned throughput,
    rate of requests, requests too quickly, sending too many, sending messages too, request limit exceeded,
    requests limit exceeded, api rate, burst limit, cooldown, cool down, retry after,
    concurrent requests limit, back off, backoff, tps
  `,
  plan: `
    plan, plans, tier, subscription, subscriptions, premium, trial, license, licence, licensed, billing account,
    payment required, unpaid, enterprise, paid plan, add on, subscribe, subscribed, merchant approval,
    your subscription, upgrade your, upgrade to, please upgrade, upgrade the, upgrade plan, upgrade account,
    an upgrade
  `,
  memory: `
    memory, heap, ram, oom, stack overflow, stack space, heap space, buffer pool, oomkilled, oom killed,
    out of memory, resident set, swap, address space, page file, paging file, shared memory, memory limit
  `,
  storage: `
    disk, disk space, storage, space, filesystem, file system, tablespace, volume, inode*, hard drive, partition,
    transaction log, mailbox, free space,
    space exceeded
  `,
  slot: `
    connections, threads, processes, file descriptors, open files, handles, workers, slots, pool, instances, vcpu*,
    cpus, gpus, nodes, hosts, capacity, resources, placement, valid host, servers, sessions, cpu, resource,
    concurrent, channels, child processes, streams, stream limit, active streams, active stream, concurrent jobs,
    concurrent tasks, concurrent requests, concurrent connections, concurrent sessions, concurrent executions,
    concurrent users, concurrent builds, concurrent calls, concurrent streams, concurrent uploads,
    concurrent operations, concurrent workers, concurrent instances, number of concurrent,
    capacity not available, no capacity, no gpu available, no gpus available
  `,
  limit: `
    limit, limits, cap, ceiling, threshold, maximum number, max number, maximum amount, maximum, max,
    daily limit, monthly limit,
    resource exhausted, resources exhausted, resource has been exhausted
  `,
  link: `connection*, socket*, handshake, websocket, tcp, name resolution, dns`,
  service: `
    server, servers, service, services, api, upstream, backend, node, database, system, website, site, cluster,
    provider, worker, replica, leader, master, model, engine, daemon, remote, application, shard*, segment,
    replicas, region, network, peer, proxy, stream, transport, remote end, tunnel, host, broker, socket
  `,
  lock: `
    deadlock*, another process, another transaction, another operation, another instance, another job,
    another update, another machine, another program, another application, other transaction*, other process,
    concurrent*, someone else, being used, being edited, being modified, being updated, serialize access,
    contention, write conflict, version conflict, wait cycle, exclusive access, exclusive lock,
    conflicting transaction, conflicting operation, has been modified, was modified, restart transaction,
    update in progress, operation in progress, in progress for, update is in progress, operation is in progress,
    row is locked, file is locked, database is locked, table is locked, record is locked, resource is locked,
    vm is locked, object is locked, state is locked, locked by another, lock timeout, lock wait, lock conflict,
    lock held, lease currently, lease held, lock contention, lock is held, lock is already held, used by another,
    edited by another, modified by another, updated by another, held by another, opened by another,
    in use by another, waiting for another, blocked by another, is currently being, currently being,
    is being created, is being updated, is being deleted, is being processed, is being modified, is being built,
    concurrency check, optimistic concurrency, optimistic lock*, modified since, semaphore within, startup lock,
    record has changed since, data has changed since, changed since last read, changed since it was,
    serialization failure, serialization error, serialization conflict, could not serialize, another request,
    another api request, another call, another thread, another client, another session, another app, another task,
    another node, another writer, other session, other user, another person, another editor, another deployment,
    another build, another run, another backup, another migration, another upgrade, another install, another sync,
    is already running, already being processed, already in progress, currently in progress, is currently locked,
    currently locked, row lock, table lock, lock could not be, obtain lock, obtain a lock, obtain the lock,
    acquire lock, acquire the lock, acquire a lock, get lock, holding the lock, holds the lock, currently holding,
    waiting for lock, lock is currently, deadlocked, updated since, was changed by, been changed by,
    been updated by, being processed, transaction aborted, transaction was aborted, transaction has been aborted,
    transaction is aborted, aborted transaction, transaction conflict, is locked by another,
    is locked by process, is locked by session, is locked by transaction, locked by process,
    locked by session, locked by transaction, resource locked, row locked, record locked, table locked,
    database locked, lock already held, lock already taken, lock is already taken, lock is taken, lock is in use
  `,
  software: `
    package*, module, modules, library, libraries, dependency, dependencies, executable, plugin, chromedriver,
    driver, interpreter, compiler, sdk, artifact, toolchain, shared object, dll, connected device, binary not,
    namespace load, no package called, no package named, no module named, no package, extension, extensions, binary,
    crate, header file, shared library, runtime, package manager, jdk, jre, python interpreter,
    installation candidate
  `,
  configuration: `
    config*, environment variable*, env var*, misconfigured, certificate*, ssl, tls, x509, keystore, pki,
    server certificate, hostname, certificate verification, connection string, database url, connection url,
    profile, setting, settings, credentials file, kubeconfig, dsn, endpoint url, database settings, trust store,
    truststore, ca certificate, certificate authority, certificate chain, ssl handshake, tls handshake,
    project id, default region, no credentials provider, config file, configuration file, dotenv
  `,
  answer: `
    invalid response, unexpected response, malformed response, empty response, bad response, invalid reply,
    unexpected reply, output schema, structured content, the response, response body, response schema,
    response validation, server response, api response, server returned, server sent, api returned,
    unparseable response, response from server, response format, response from, response did not, response does not,
    response is not, response was not, parse response, response is missing, invalid output, unexpected output,
    json response, in response, in the response, from response, from the response, download response, response with,
    response serialization, response deserialization, response decoding, deserialize response, decoding response,
    decode response, parsing response, parse the response, parse server response, deserializing response,
    failed to deserialize response, error decoding response, failed to decode response, unable to parse response,
    could not parse response, failed to parse response, error parsing response, cannot parse response,
    could not parse server response, unable to decode response, invalid json response, expected json but,
    received html, got html, response not in json, non json response, html instead of json, json but received,
    parse api response, parse server data, parsing server data
  `,
  input: `
    field, fields, parameter*, param, params, argument*, value, values, property, properties, attribute, attributes,
    column, columns, format, type, types, number, string, length, option, options, flag, variable, variables,
    statement, expression, syntax, character, characters, char, json, xml, yaml, integer, float, boolean, array,
    element, selector, operator, token, symbol, arg, identifier, keyword, clause, digits, decimal, operand,
    mime type, content type, date, regex, pattern, literal, input, inputs,
    range, cell, cells, grid,
    file extension, file extensions, cipher, codec
  `,
  denied: `
    denied, forbidden, unauthorized, unauthorised, prohibited, disallowed, restricted, banned, blacklisted,
    not permitted, access refused, violates policy, policy violation, content policy, insufficient permission*,
    insufficient privilege*, insufficient scope*, admin required, usage policy, terms of service, captcha,
    robots txt, safety system, do not retry, flagged, in your region, in your country, in this region,
    in this country, your location, user location, is blocked, are blocked, was blocked, been blocked, blocked by,
    blocked due, eacces, eperm, only root, authorization violation, permissions violation, not entitled, forbid*,
    unapproved, blocklisted, on the blocklist, blacklist, deny listed, not whitelisted, not allowlisted, opted out,
    unsubscribed, spam, moderation, moderated, disapproved, violates our, violates the terms, access denied,
    missing access, missing scope, required scope, required scopes, not a member, not an admin, not an owner,
    invalid grant, invalid signature, login incorrect, login required, missing token, token missing, token required,
    token mismatch, wrong token, signature is invalid, signature mismatch, access was refused, login was refused,
    was refused, were refused, is refused, been refused, refused by, login failed, authentication failed,
    auth failed,
    is not a member, are not a member, is not an admin, is not an administrator, are not an admin, is not an owner,
    is not the owner, are not the owner
  `,
  permitted: `
    allowed, permitted, authorized, authorised, entitled, eligible, granted, enabled, approved, allow, permit
  `,
  exceeded: `
    exceed, exceeds, exceeded, exceeding, too many, too much, over the, beyond the, reached, hit,
    surpass*, overrun, going over, over your, over quota,
    resource exhausted, resources exhausted, resource has been exhausted
  `,
  comparison: `
    above the, too long, too large, too big, too small, too short, too high, too low, too few, too early, too late,
    too old, too deep, larger than, greater than, longer than, bigger than, higher than, more than, less than,
    smaller than, shorter than, lower than, fewer than, at least, atleast, at most, no more than, no less than,
    out of range, out of bounds, maximum size, maximum length, max length, max size, maximum is, minimum is,
    minimum, or fewer, or less, in the past, in the future, would be truncated, truncated, overflow, precision,
    maximum allowed, maximum payload, message size, file size, maximum value, max message size, size limit,
    length limit, maximum message, maximum request, exceeds the maximum, exceeds maximum, exceeds max,
    exceeds the max, exceeds the limit, exceeds limit, item size, batch size, payload size, must be between,
    be after, be before, maximum number of items, longer, larger, within the range, exceeds the allowed,
    exceed the maximum, in length, index exceeds, exceeds the number, exceed the number, must not exceed,
    should not exceed, cannot exceed, may not exceed, can not exceed, not exceed, must be at most, or equal to,
    too complex, too broad, too wide, too specific, too generic, too vague, too recent, exceed max*,
    over the limit of, over the maximum, above the maximum, above maximum, below the minimum, below minimum,
    under the minimum, lower bound, upper bound, not in range, not within, must be positive, must be negative,
    must be greater, must be less, must be non negative, greater or equal, less or equal, must be a multiple,
    too deeply, exceeds allowed, maximum depth, max depth, nesting, oversized, undersized, size exceeded,
    entity too large, payload too large, request too large, file too large, body too large, message too large,
    message too long, line too long, name too long, uri too long, too long for, size of the, doesn't fit,
    does not fit, exceeds the size, exceeds size, exceeds length, maximum characters, character limit,
    characters or less, characters or fewer, characters long
  `,
  exhausted: `
    insufficient, exhaust*, depleted, used up, ran out, run out, out of, full, no more, none left, lacking,
    overflow, starved, unable to extend, cannot allocate, low on, none available, shortage, saturated,
    not have enough, insufficient balance, insufficient account balance, please recharge, enospc, oom killed,
    oomkilled, out of memory, out of disk, exceeds available, not enough resources, no free, no remaining,
    none remaining, pool exhausted, fully booked,
    overcommitted, starvation, at maximum capacity, capacity reached, capacity exceeded, insufficient capacity,
    space exceeded,
    capacity not available, no capacity, no gpu available, no gpus available, used all, used up all
  `,
  enough: `
    enough, sufficient, adequate
  `,
  allocated: `
    allocate, allocated, allocation, extend, reserve, schedule, scheduled, placement, place, placed, provision,
    provisioned
  `,
  timeout: `
    timed out, timeout, timeouts, time out, timing out, deadline exceeded, deadline expired, took too long,
    taking too long, takes too long, time limit exceeded, exceeded time limit, time expired, stalled, too slow,
    no response, exceeded the time, time limit, respond in time, context deadline,
    etimedout, esockettimedout,
    execution time, maximum execution time, max execution time, maximum time, time allowed
  `,
  answered: `
    respond, responded, responding, response within, complete within, completed within, finish within,
    finished within, respond within, allocated time, allotted time, get response, get a response,
    receive a response, received a response
  `,
  broken: `
    reset by peer, hang up, hung up, broken pipe, disconnected, disconnect, unexpectedly, connection reset,
    connection closed, closed by, went away, gone away, read 0 bytes, severed, connection error, network error,
    getaddrinfo, resolve host, socket error, terminated unexpectedly, connection was closed, connection is closed,
    connection has been closed, connection already closed, closed the connection, closed connection, peer closed,
    socket closed, socket is closed, stream closed, connection terminated, connection was terminated,
    connection has been terminated, connection aborted, connection was aborted, connection lost, fetch failed,
    goaway, goaway and, network is down, network down, network unreachable, network failure, network problem,
    network issue, network connectivity, operation was canceled, operation was cancelled, request was canceled,
    request was cancelled, operation was aborted, request was aborted, request aborted, operation canceled,
    operation cancelled, context canceled, problem communicating, trouble connecting, econnreset, epipe,
    empty reply, bad connection, communication error, communications error, communication link, communications link,
    communication channel, transport level error, transport error, end of file on, network interruption,
    connection dropped, connection interrupted, connection was lost, connection was reset,
    connection was interrupted, connection failure, lost connection, connection broken, broken connection,
    stream reset, stream was reset, rst stream, peer reset, read error on connection, unexpected disconnect,
    session was closed, channel closed, channel is closed, ssl read error, eof while reading, client disconnected,
    server disconnected, remote disconnected, peer disconnected, connection cut, connection was cut,
    connection has been cut, connection got cut, connection unexpectedly closed, socket unexpectedly closed,
    stream unexpectedly closed, channel unexpectedly closed, session unexpectedly closed
  `,
  cut: `
    prematurely, premature, unexpected eof, premature eof, incomplete read, incomplete response, incomplete body,
    stream ended, bytes remaining, stream cut, stream was cut, stream has been cut, response cut off,
    response was cut, output cut off, output was cut
  `,
  unconnected: `
    connection refused, refused the connection, connection attempt failed, actively refused, no route to host,
    econnrefused, ehostunreach, enetunreach, connection could not be established, could not establish connection,
    unable to establish connection,
    connection was refused, connection is refused, connection has been refused, connection attempt was refused,
    connections are refused, connection refused by
  `,
  connected: `
    connect, connected, reach, reached, reachable, contact, resolve host, resolve hostname, communicate, dial,
    proxy command, communicating, connecting, reaching, contacting
  `,
  down: `
    overloaded, overloading, busy, maintenance, internal error, internal server error, something went wrong,
    server error, service error, server side error, outage, starting up, shutting down, warming up, unhealthy,
    out of service, backlog, high load, heavy load, degraded, bad gateway, no leader, not the leader,
    leader election, no healthy, failover, quorum, no responders, service unavailable, is unavailable,
    temporarily unavailable, currently unavailable, unavailable, is down, in recovery, rebalanc*,
    not enough replicas, circuit open, circuit breaker, rejected execution, server is not ready,
    error occurred on our, on our end, internal failure, at capacity, no available server,
    not available at this time, internal exception, is loading, high demand, heavy traffic, high traffic,
    temporarily out of, upstream error, provider error, no primary, no master, not master, primary not available,
    not primary, is closing, node shutdown, server shutdown, restarting, is restarting, is starting,
    being restarted, high volume, too busy, not enough healthy, cold start, try a different zone, shutdown signal,
    received a shutdown, being shut down, unreachable, not reachable, performed at this time,
    completed at this time, processed at this time, starting, initializing, currently loading, currently restarting,
    being loaded, still loading, still starting, overload, all shards failed, not the current leader, not leader,
    retrying may, connection forced, forced connection closure, read only mode for maintenance,
    node is not available, not currently available, currently not available, temporarily suspended,
    momentarily unavailable, no servers available, no available servers, all backends, no backend, all replicas,
    rolling restart, service interruption, high latency, under heavy load, excessive load, system overload,
    capacity temporarily, overcapacity, over capacity, out of capacity, leader changed,
    maintenance in progress, in maintenance, offline for maintenance, temporarily offline, scheduled maintenance,
    temporarily closed, temporarily down, temporarily disabled, temporarily unreachable
  `,
  ready: `ready, available to handle, serving`,
  again: `
    try again, retrying, please wait, try later, temporarily, temporary failure, temporary error, temporary problem,
    temporary issue, momentarily, shortly, in a moment, in a few, at this time, come back, retryable, rerun,
    resubmit, try your request, retry your, try it again, wait a, wait and, wait for, please wait and,
    for the moment, please retry, retry later, retry the, can be retried, may be retried, transient error,
    transient failure, transient fault, is transient, restart read, retrying may, right now, try your request again,
    retry after, retry in, try after, sometime later, some time later, in some time, after some time, transient
  `,
  temporary: `temporarily, momentarily`,
  taken: `
    already exists, already exist, already in use, already taken, already registered, already used, already has,
    already have, already contains, duplicate*, uniqueness, unique constraint, in use, is taken, has been taken,
    exists already, conflicts with, still in use, is used by, referenced by, conflicting, already being used,
    not unique, collision, same name, already a, already an, already part, already in, already associated,
    already assigned, already linked, already member, already been taken, conditional request failed,
    conditional check failed, condition was not met, directory not empty, is not empty, are not empty,
    another user with, must be different, must differ, identical to, name conflict, name collision, already bound,
    already reserved, already allocated, already scheduled, already present, already defined, already added,
    already enrolled, already subscribed, already claimed, port is already, address already in use, redefinition,
    redeclaration, multiple definition,
    has already been used, already been used, already been claimed, with this name exists, with that name exists,
    with the same name exists, with this email exists, with the same id exists
  `,
  unique: `unique`,
  state: `
    already, closed, locked, archived, canceled, cancelled, expired, disabled, inactive, deleted, deactivated,
    paused, shipped, captured, refunded, settled, terminated, read only, readonly, immutable, protected, sealed,
    current state, invalid state, bad state, unexpected state, wrong state, illegal state, no longer, in state,
    not in a state, status is, status of, voided, destroyed, finalized, invalid status, is pending, sold out,
    out of stock, detached, offline, unverified, verify your account, suspended, stale element, in progress,
    not in the correct state, insufficient funds, session has timed out, session timed out, session timeout,
    session expired, session has expired, token expired, token has expired, token is expired, expired token,
    login expired, token revoked, token has been revoked, expired session, invalid session, session is invalid,
    session is no longer valid, session invalid, please log in, please sign in, please login, login again,
    log in again, sign in again, no space left, no seats, no rooms, no availability, no slots, no tickets, no stock,
    not enough seats, not logged in, declined, is frozen, been frozen, cart is empty, basket is empty,
    queue is empty, must be verified, be verified, not verified, not been verified, not published, not approved yet,
    not yet approved, already processed, already completed, already cancelled, already paid, already started,
    already finished, has ended, has expired, has been cancelled, has been canceled, has been deleted,
    has been archived, has been closed, has been locked, has been disabled, has been suspended, is disabled,
    is suspended, is archived, is closed, is locked, is paused, is draft, in draft, is not active,
    not in a valid state, in an invalid state, not in the right state, in the wrong state, invalid transition,
    illegal transition, transition is not, cannot transition, not eligible, ineligible, past due, overdue,
    in arrears, frozen, decommissioned, end of life, out of sync, stopped, not running, not started, not open,
    not active
  `,
  active: `
    active, open, opened, running, started, initialized, initialised, online, mounted, loaded, eligible, signed,
    activated, confirmed, delivered, paid, published, approved,
    booted, operate
  `,
  unsupported: `
    unsupported, unimplemented, deprecated, discontinued, obsolete, sunset, retired, not implemented, removed in,
    no longer supported, not applicable, operation not, only supports, only support, only supported, only available,
    only works
  `,
  supported: `supported, supports, support, implemented, possible`,
  needed: `
    required, missing, mandatory, is empty, are empty, was empty, be empty, be blank, is blank, be null, is null,
    null value, be provided, unspecified, unset, must provide, must specify, please provide, please enter,
    please specify, please select, please supply, nothing to, is not set, please choose, please fill, requires,
    require, empty sequence, empty list, empty string, empty set, empty array, empty message, empty value,
    empty name, empty query, empty text, empty body, empty input, cannot insert null, insert null, must not be null,
    must not be empty, cannot be empty, cannot be blank, cannot be null, can't be blank, can't be empty,
    should not be empty, should not be null, must be set, must be defined, must be present, was null, is undefined,
    lacks the, needs an argument, needs a, expects an argument, expected argument, without a value, no value for,
    value for option, none given, none provided, none specified, not given, not specified, not provided,
    not supplied, not set,
    payment required, response is missing
  `,
  supplied: `provided, specified, given, supplied, passed, included, sent, set, selected, entered, filled`,
  invalid: `
    invalid, malformed, bad request, bad value, bad parameter, bad argument, bad format, incorrect, wrong, illegal,
    mismatch*, unexpected token, unexpected character, unexpected end, unexpected identifier, unexpected symbol,
    unexpected value, unexpected type, unexpected keyword, unexpected argument, unexpected field, unexpected indent,
    unparseable, unparsable, ill formed, ambiguous, inconsistent, incompatible, syntax error, parse error,
    parsing error, violates, violated, violation, misspelled, unterminated, unbalanced, is not a, is not an,
    must not be, not a, not an, does not look like, unprocessable, validation error, validation errors,
    error parsing, inequivalent, cannot convert, unclosed, unmatched, mutually exclusive, bad, typo, reserved,
    unused, not used, reassigned, improper, redeclared, inaccessible, unexpected, unexpected response,
    nothing to repeat, too many values, too many arguments, too few arguments, too many positional, never closed,
    never used, division by zero, divide by zero, invalid token, bad token, badly, cannot have, can not have,
    may not have, called with, no viable alternative, extraneous input, cannot use, can't use, can not use,
    mistyped, unrecognizable, not numeric, non numeric, nonnumeric, not iterable, not callable, not hashable,
    unhashable, not subscriptable, not comparable, not a function, not defined for, cannot be applied to,
    incorrectly, nonsense, bad syntax, invalid syntax, wrong syntax, unescaped, misplaced, dimension error,
    dimension mismatch, unknown format, wrong format, too many positional arguments, cannot mix, can not mix,
    unparsed, duplicate key in, missing parenthesis, expected expression, not well formed, bogus, contradictory,
    conflicting options, conflicting arguments, cannot be combined, cannot be used together, cannot be used with,
    are exclusive, outdated syntax, self referencing, circular, cyclic, cycle detected,
    failed to deserialize response, error decoding response, failed to decode response, unable to parse response,
    could not parse response, failed to parse response, error parsing response, cannot parse response,
    could not parse server response, unable to decode response, invalid json response, expected json but,
    received html, got html, response not in json, non json response, html instead of json, json but received,
    parsing server data, bad response, invalid output, invalid reply, invalid response, malformed response,
    unexpected output, unexpected reply, unparseable response
  `,
  valid: `
    valid, correct, match, matches, legal, acceptable, well formed, compatible, equal, conform*, satisfy, satisfied,
    satisfies, comply, consistent, proper, accepted, fit, numeric, a number, an integer, understood, understand,
    same, clickable, assignable, applicable, contain, add up, sum to, allow for, filterable, sortable, searchable,
    editable, nullable, iterable, callable, hashable, comparable, indexable, subscriptable, serializable, writable,
    updatable, sendable, deliverable, multiplied, broadcast, reshape, reshaped, concatenated, combined, joined,
    compared, nested, mixed, matching, matched by, in the correct format, in correct format, allowed here,
    permitted here, expected here, an object, an array, a string, a boolean, a date, an email, a url, unambiguous,
    recognizable
  `,
  parsed: `
    parse, parsed, parsing, convert, converted, conversion, decode, decoded, decoding, interpret, interpreted, cast,
    deserialize, deserialise, unmarshal, validation, coerce, coerced, compile, compiled, compilation, be used as,
    bind,
    serialize, serialized, serialization, deserialized, deserialization, unmarshalled, unmarshalling,
    response serialization, response deserialization, response decoding, response validation
  `,
  absent: `
    no such, unknown, undefined, undeclared, unrecognized, unrecognised, unresolved, nonexistent, non existent,
    nonexisting, no matching, dangling, not found, no rule to, no results for, could not be found, not exist,
    no match, no matches, no package called, no package named, no module named, no package, no section, no key,
    no field, no column, no record, no entry, unregistered, enoent, nxdomain, no data found, doesn t exist,
    cannot open file, can't open file, could not open file, unable to open file, failed to open file,
    cannot open the file
  `,
  found: `
    found, find, locate, located, exist, exists, resolve, resolved, known, recognized, recognised, defined,
    declared, present, registered, identified, listed, in scope, declared in, appear, appears, part of, a member of,
    in the list, in database, in the database, matched,
    know, knows, understood by
  `,
  expectation: `
    must, should, expected, expects, expecting, expect, one of, only, has to, have to, needs to, need to,
    allowed values, valid values, please use, please check, did you mean, may only, can only, instead of, may not,
    shall, supported values, available values, available options, accepted values, please correct, please ensure,
    make sure, cannot contain, required to be, valid options, try using, possible values, valid choices,
    please verify that
  `,
  operation: `
    operation, operations, feature, features, request, action, endpoint, client, platform, browser, device,
    environment, windows, linux, macos, version, region, api version, command, this call, transaction,
    functionality, location, country, deprecated, discontinued, obsolete, retired, sunset, removed in,
    no longer supported, account type, this account, your account
  `,
  uninstalled: `
    please install, not installed, must be installed, is not installed, be installed, pip install, npm install,
    apt install, apt get install, brew install, command not found, is not recognized as an internal,
    not recognized as the name of
  `,
  available: `available, accessible, obtainable`,
  environment: `
    newer version, older version, version mismatch, protocol version, incompatible version, requires version,
    client version, server version, runtime version, node version, python version, java version, minimum version,
    this version of, version or higher, version or later, version is required, glibc*, display, protocol,
    architecture, platform, kernel, runtime, host application, android device, unsupported class file,
    engine version, cpu instruction*, peer dependency
  `,
  installed: `installed`,
  configured: `configured, configure`,
  acquired: `acquire, acquired, obtain exclusive, obtain lock, lock, locks, lease, mutex, acquire lock`,
  authenticated: `authenticated, authenticate, authentication, authorize, logged in, log in, login, logon, sign in`,
  failed: `
    went wrong, goes wrong, gone wrong, failed, failure, fails, fail, rejected, aborted, unsuccessful,
    unsuccessfully, unknown error, unexpected error, an error occurred, unexpected failure, unknown server,
    permission error, permission errors, lost, dropped, terminated abnormally, max retries, reached max retries,
    max retries exceeded, maximum retries, maximum number of retries, retries exceeded, retries exhausted,
    retry limit
  `,
  defect: `
    assertion failed, assertion error, assertionerror, null pointer, segmentation fault, segfault, core dumped,
    panic, panicked, bug, bugs, crash report, crashed, internal compiler error, unhandled exception, corrupt*,
    checksum*, unrecoverable, fatal signal, access violation, function clause, bad function, undef, nil pointer,
    badmatch, badarg, crash dump, dereference, unexpected signal, sigsegv, sigabrt, sigill, signal 11, signal 6,
    illegal instruction, bus error, magic number, stack smashing, double free, no such method, nosuchmethod,
    abort trap, invariant, body is unusable, body has already been read, body used already, body already used,
    already been read, already been consumed, is disturbed, disturbed, readablestream is locked, stream is locked,
    body was already read, eof in archive, unexpected eof in archive, not recoverable, undefined method, nil class,
    nilclass, null reference, nullreference, object reference not set, unreachable code, should never happen,
    should not happen, this is a bug, please report, file a bug, report this, internal consistency, data corruption,
    index corruption, damaged, malformed database, broken invariant, segmentation violation, general protection,
    kernel panic, thread panicked, cannot read properties of, cannot read property, is not a function,
    has no attribute, zerodivisionerror, nullpointerexception
  `,
  negation: `
    not, no, cannot, can't, can not, unable to, failed to, failure to, fails to, could not, couldn't, never,
    without, doesn't, don't, isn't, aren't, wasn't, weren't, won't, didn't, hasn't, haven't, shouldn't, mustn't,
    unsuccessfully, neither, nor, impossible to, refused to, error while, problem, dont, doesnt, couldnt, lack,
    lacks, may be, might be
  `
}
