namespace Faster.OperationLogs;

/// <summary>Which operation of which session a record is of. Immutable.</summary>
/// <param name="Number">The session's number in its life of the store.</param>
/// <param name="Serial">The operation's number in the session.</param>
/// <param name="OldestOpen">The first number from which on operations of the session may not be durable.</param>
internal readonly record struct LogRecordSession(uint Number, long Serial, long OldestOpen);
