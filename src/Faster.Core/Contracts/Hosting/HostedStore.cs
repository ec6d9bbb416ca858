using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>Checks what a host passes to <see cref="IHostedStore{TStore, TSession}.OpenAsync"/>.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class HostedStore
{
    /// <summary>Returns options as those of an engine.</summary>
    /// <param name="options">The options, or null.</param>
    /// <exception cref="ArgumentException">They are of another engine.</exception>
    public static TOptions? OptionsOf<TOptions>(EngineOptions? options)
        where TOptions : EngineOptions => options is null or TOptions
            ? (TOptions?)options
            : throw new ArgumentException(
                $"The store is opened with {typeof(TOptions).Name}, not with {options.GetType().Name}.",
                nameof(options));

    /// <summary>Refuses a path for a store that has no folder.</summary>
    /// <param name="path">The path.</param>
    /// <exception cref="StoreOpenException">The path is not null.</exception>
    public static void ThrowIfPath(string? path)
    {
        if (path is not null)
        {
            throw new StoreOpenException(
                $"The store is kept in memory only, but the path '{path}' is given. Pass null, or choose an engine "
                + "whose stores have a folder.");
        }
    }
}
