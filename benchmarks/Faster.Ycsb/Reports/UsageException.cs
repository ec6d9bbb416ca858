namespace Faster.Ycsb.Reports;

/// <summary>The user asked for something that can't be done; the message says what to do instead.</summary>
internal sealed class UsageException(string message) : Exception(message);
