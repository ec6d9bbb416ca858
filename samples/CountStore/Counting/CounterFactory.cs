using CountStore.Commands;
using CountStore.Input;

namespace CountStore.Counting;

/// <summary>Opens the store that suits the keys.</summary>
internal static class CounterFactory
{
    /// <summary>A store of numbers or of texts.</summary>
    public static ValueTask<ICounter> OpenAsync(
        string folder, InputFormat format, CountOptions options, CancellationToken cancellation) =>
        ValueTask.FromResult<ICounter>(new DictionaryCounter());
}
