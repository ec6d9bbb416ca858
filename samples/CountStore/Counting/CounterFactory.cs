using CountStore.Commands;
using CountStore.Input;
using Faster;

namespace CountStore.Counting;

/// <summary>Opens the store that suits the keys.</summary>
internal static class CounterFactory
{
    /// <summary>An empty store of numbers or of texts, or what was committed in its folder.</summary>
    /// <exception cref="FasterException">The store can't be opened.</exception>
    public static async ValueTask<StoreCounter> OpenAsync(
        string folder, InputFormat format, CountOptions options, IProgress<RecoveryProgress> progress,
        CancellationToken cancellation)
    {
        StoreOptions store = new()
        {
            MemoryBudget = options.Memory,
            CommitEvery = options.DataFolder is null ? TimeSpan.Zero : options.CommitEvery,
            CommitOnDispose = false, // a run that failed is resumed from before the failure
        };
        return format.IsNumber
            ? new NumberCounter(await OpenOrRecoverAsync(
                options.Resume,
                () => Numbers.RecoverAsync(folder, store, progress, cancellation),
                () => Numbers.OpenAsync(folder, store, cancellation)))
            : new TextCounter(await OpenOrRecoverAsync(
                options.Resume,
                () => Texts.RecoverAsync(folder, store, progress, cancellation),
                () => Texts.OpenAsync(folder, store, cancellation)));
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
