using Faster.Contracts;
using Faster.Devices;
using Faster.Engines;
using Faster.Engines.Tiered;
using Faster.Log;
using Faster.LogSessions;
using Faster.Tests.Faults;
using Faster.Tiers;

namespace Faster.Tests.Operations.Large;

/// <summary>The engines and logs that keep values in fragments.</summary>
public enum LargeEngine
{
    /// <summary>The engine FASTER with the hybrid log.</summary>
    Hybrid,

    /// <summary>The engine FASTER with the log that is never updated in place.</summary>
    AppendOnly,

    /// <summary>The engine F2, with a hot log that moves all the time.</summary>
    Tiered,
}

/// <summary>A store of bytes → bytes of any of these engines, with pages of 4 KiB.</summary>
internal sealed class LargeSubject : IAsyncDisposable
{
    private readonly IAsyncDisposable _store;
    private readonly Func<HashSession> _start;

    private LargeSubject(IAsyncDisposable store, Func<HashSession> start, StoreCore core) =>
        (_store, _start, Core) = (store, start, core);

    /// <summary>All engines, for theories.</summary>
    public static TheoryData<LargeEngine> Engines => [.. Enum.GetValues<LargeEngine>()];

    /// <summary>What its tiers share.</summary>
    public StoreCore Core { get; }

    /// <summary>The log that everything is written to.</summary>
    public PagedLog Log => Core.Tiers[0].PagedLog!;

    public static async Task<LargeSubject> OpenAsync(
        LargeEngine engine, StoreOptions? options = null, Device? device = null)
    {
        options ??= LargeStore.Options;
        if (engine != LargeEngine.Tiered)
        {
            options = options with
            {
                Allocator = engine == LargeEngine.Hybrid ? RecordAllocatorKind.Hybrid : RecordAllocatorKind.AppendOnly,
            };
            FasterStore one = await LargeStore.OpenAsync(options, device: device);
            return new LargeSubject(one, () => one.StartSession(), one.Core);
        }

        TieredStore two = await TieredStore.OpenAsync(
            null,
            new TieredOptions
            {
                MemoryBudget = ByteSize.MiB(2), ColdFraction = 0.5, PageSize = options.PageSize,
                ReadCacheFraction = options.ReadCacheFraction, MutableFraction = options.MutableFraction,
                HotLogSize = ByteSize.KiB(256), ExpectedHotKeys = 1_000, ExpectedColdKeys = 1_000,
                TimeProvider = options.TimeProvider, HotDevice = device,
            },
            BytesOperations.Schema, CancellationToken.None);
        return new LargeSubject(two, () => two.StartSession(), two.Core);
    }

    public HashSession StartSession() => _start();

    public ValueTask DisposeAsync() => _store.DisposeAsync();
}
