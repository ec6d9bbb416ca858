using CountStore.Commands;
using CountStore.Counting.Stores;
using CountStore.Input;
using Faster;

namespace CountStore.Counting;

/// <summary>Opens the store that suits the engine and the keys.</summary>
internal static class CounterFactory
{
    /// <summary>An empty store of numbers or of texts, or what was committed in its folder.</summary>
    /// <exception cref="FasterException">The store can't be opened.</exception>
    public static async ValueTask<StoreCounter> OpenAsync(
        string folder, CountEngine engine, InputFormat format, CountOptions options,
        IProgress<RecoveryProgress> progress, CancellationToken ct)
    {
        TimeSpan commitEvery = options.DataFolder is null ? TimeSpan.Zero : options.CommitEvery;
        // A run that failed is resumed from before the failure: so no store commits when it is closed.
        StoreOptions faster = new()
        {
            MemoryBudget = options.Memory, CommitEvery = commitEvery, CommitOnDispose = false,
            Durability = options.Durability,
        };
        TieredOptions tiered = new()
        {
            MemoryBudget = options.Memory, CommitEvery = commitEvery, CommitOnDispose = false,
            Durability = options.Durability,
        };
        ICountStore store = (engine == CountEngine.Tiered, format.IsNumber) switch
        {
            (false, true) => new NumberStore(await OpenOrRecoverAsync(
                options.Resume,
                () => Numbers.RecoverAsync(folder, faster, progress, ct),
                () => Numbers.OpenAsync(folder, faster, ct))),
            (false, false) => new TextStore(await OpenOrRecoverAsync(
                options.Resume,
                () => Texts.RecoverAsync(folder, faster, progress, ct),
                () => Texts.OpenAsync(folder, faster, ct))),
            (true, true) => new NumberStore(await OpenOrRecoverAsync(
                options.Resume,
                () => Numbers.TieredStore.RecoverAsync(folder, tiered, progress, ct),
                () => Numbers.TieredStore.OpenAsync(folder, tiered, ct))),
            (true, false) => new TextStore(await OpenOrRecoverAsync(
                options.Resume,
                () => Texts.TieredStore.RecoverAsync(folder, tiered, progress, ct),
                () => Texts.TieredStore.OpenAsync(folder, tiered, ct))),
        };
        return new StoreCounter(
            store, options.Durability == Durability.EachOperation ? StoreLimits.Awaited : 0);
    }

    private static async ValueTask<TStore> OpenOrRecoverAsync<TStore>(
        bool recover, Func<ValueTask<TStore>> recoverAsync, Func<ValueTask<TStore>> openAsync)
    {
        if (!recover) return await openAsync();
        try
        {
            return await recoverAsync();
        }
        catch (StoreOpenException)
        {
            // The run before may have ended before its first commit: then the store begins empty. Whatever else was
            // wrong is so still.
            return await openAsync();
        }
    }
}
