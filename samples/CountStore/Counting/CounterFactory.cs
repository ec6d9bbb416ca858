using CountStore.Commands;
using CountStore.Input;
using Faster;

namespace CountStore.Counting;

/// <summary>Opens the store that suits the keys.</summary>
internal static class CounterFactory
{
    /// <summary>A store of numbers or of texts.</summary>
    /// <exception cref="FasterException">The store can't be opened.</exception>
    public static async ValueTask<ICounter> OpenAsync(
        string folder, InputFormat format, CountOptions options, CancellationToken cancellation)
    {
        StoreOptions store = new() { MemoryBudget = options.Memory };
        return format.IsNumber
            ? new NumberCounter(await Numbers.OpenAsync(folder, store, cancellation))
            : new TextCounter(await Texts.OpenAsync(folder, store, cancellation));
    }
}
