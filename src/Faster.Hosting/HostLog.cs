using Microsoft.Extensions.Logging;

namespace Faster.Hosting;

/// <summary>The messages of hosted stores. The category is <c>Faster.</c> and the store's name.</summary>
internal static partial class HostLog
{
    [LoggerMessage(1, LogLevel.Information, "Store {Store} opens {Folder}")]
    public static partial void Opening(this ILogger log, string store, string folder);

    [LoggerMessage(2, LogLevel.Information, "Store {Store} recovers: {Step}, {Done} of {Total} bytes")]
    public static partial void Recovering(this ILogger log, string store, RecoveryStep step, long done, long total);

    [LoggerMessage(3, LogLevel.Information, "Store {Store} is open after {Elapsed}")]
    public static partial void Opened(this ILogger log, string store, TimeSpan elapsed);

    [LoggerMessage(4, LogLevel.Warning, "Store {Store} waits up to {Limit} for its folder: {Reason}")]
    public static partial void WaitsForFolder(this ILogger log, string store, TimeSpan limit, string reason);

    [LoggerMessage(5, LogLevel.Information, "Store {Store} has committed version {Version} and is closing")]
    public static partial void CommittedLast(this ILogger log, string store, long version);

    [LoggerMessage(6, LogLevel.Information, "Store {Store} is closed")]
    public static partial void Closed(this ILogger log, string store);

    [LoggerMessage(7, LogLevel.Error, "Store {Store} could not commit before closing: what came after its last "
        + "commit may be lost")]
    public static partial void LastCommitFailed(this ILogger log, string store, Exception error);

    [LoggerMessage(8, LogLevel.Warning, "Store {Store} had an internal fault that concerned no operation")]
    public static partial void Fault(this ILogger log, string store, Exception fault);

    [LoggerMessage(9, LogLevel.Critical, "Store {Store} takes no more updates: the application stops")]
    public static partial void StopsWhenPoisoned(this ILogger log, string store);

    [LoggerMessage(10, LogLevel.Warning, "The configuration of store {Store} has changed: it takes effect when the "
        + "application starts again")]
    public static partial void ConfigurationChanged(this ILogger log, string store);
}
