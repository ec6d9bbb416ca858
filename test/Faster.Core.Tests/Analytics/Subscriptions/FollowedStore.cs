using Faster.Analytics;
using Faster.Contracts;
using Faster.Engines;
using Faster.Engines.Tiered;
using Faster.LogSessions;
using Faster.Tests.Operations;

namespace Faster.Tests.Analytics.Subscriptions;

/// <summary>The engines whose stores have subscriptions.</summary>
public enum FollowedEngine
{
    /// <summary>The engine FASTER.</summary>
    Faster,

    /// <summary>The engine F2, with a hot log so large that no record moves.</summary>
    Tiered,
}

/// <summary>A small store of long → long of either engine, and the log that its subscriptions follow.</summary>
internal sealed class FollowedStore : IAsyncDisposable
{
    private readonly IAsyncDisposable _store;
    private readonly Func<HashSession> _start;
    private readonly Func<CommitKind?, Task<Commit>> _commit;

    private FollowedStore(
        IAsyncDisposable store, LogAnalytics analytics, LogSource source,
        Func<HashSession> start, Func<CommitKind?, Task<Commit>> commit) =>
        (_store, Analytics, Source, _start, _commit) = (store, analytics, source, start, commit);

    /// <summary>Both engines, for theories.</summary>
    public static TheoryData<FollowedEngine> Engines => [.. Enum.GetValues<FollowedEngine>()];

    /// <summary>Scans and subscriptions.</summary>
    public LogAnalytics Analytics { get; }

    /// <summary>The log that everything is written to.</summary>
    public LogSource Source { get; }

    /// <summary>Opens a store in a folder, or in memory.</summary>
    public static async Task<FollowedStore> OpenAsync(FollowedEngine engine, string? path = null)
    {
        if (engine == FollowedEngine.Faster)
        {
            FasterStore one = await (path is null
                ? AnalyticsStores.InMemoryAsync()
                : AnalyticsStores.InFolderAsync(path));
            return new FollowedStore(
                one, one.Analytics, one.Analytics.Source, () => one.StartSession(), kind => one.CommitAsync(kind));
        }

        TieredStore two = await TieredStore.OpenAsync(
            path,
            new TieredOptions
            {
                MemoryBudget = ByteSize.MiB(2), PageSize = ByteSize.KiB(4), HotLogSize = ByteSize.GiB(1),
                ExpectedHotKeys = 1_000, ExpectedColdKeys = 1_000, CommitOnDispose = false,
            },
            CounterOperations.Schema, CancellationToken.None);
        return new FollowedStore(
            two, two.Analytics, two.Analytics.Hot, () => two.StartSession(), kind => two.CommitAsync(kind));
    }

    public HashSession StartSession() => _start();

    public Task<Commit> CommitAsync(CommitKind? kind = null) => _commit(kind);

    public IAsyncEnumerator<LogEntry<(long Key, long? Value)>> Follow(
        SubscribeOptions? options, CancellationToken ct = default) =>
        Analytics.SubscribeAsync(options, AnalyticsStores.Pair, ct).GetAsyncEnumerator(CancellationToken.None);

    public ValueTask DisposeAsync() => _store.DisposeAsync();
}
