using Faster.Conformance.Contract;
using Faster.Conformance.Engines.Kinds;
using Faster.Engines;

namespace Faster.Conformance.Engines.FasterStore.Coherence;

/// <summary>A kind of FASTER store: its keys and values, and what it supports.</summary>
/// <typeparam name="TKey">The type of keys.</typeparam>
/// <typeparam name="TValue">The type of values.</typeparam>
public interface ICoherentKind<TKey, TValue>
    where TKey : notnull
{
    /// <summary>What keys and values look like.</summary>
    static abstract Flavor<TKey, TValue> Flavor { get; }

    /// <summary>Whether its records may expire: its sessions are <see cref="IExpiringSession"/> then.</summary>
    static virtual bool Expires => true;

    /// <summary>The value made larger than a page, if values may be that large.</summary>
    static virtual TValue Enlarged(TValue value) => value;

    /// <summary>Opens a store.</summary>
    internal static abstract Task<FasterStoreUnderTest<TKey, TValue>> OpenAsync(string folder, StoreOptions options);
}
