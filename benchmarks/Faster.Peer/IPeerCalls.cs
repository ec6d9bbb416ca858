using FASTER.core;

namespace Faster.Peer;

/// <summary>
/// The calls of a peer's session in one mode. Implementations are structs, so that the JIT sees through them.
/// </summary>
/// <typeparam name="TValue">The store's values.</typeparam>
internal interface IPeerCalls<TValue> : IDisposable
{
    /// <summary>A chunk of calls begins.</summary>
    void Begin();

    /// <summary>It ends.</summary>
    void End();

    /// <summary>Reads a key.</summary>
    Status Read(ref long key, ref TValue value, long context);

    /// <summary>Sets a key's value.</summary>
    Status Upsert(ref long key, ref TValue value, long context);

    /// <summary>Adds to the word of a key's value.</summary>
    Status Rmw(ref long key, ref long amount, long context);

    /// <summary>Continues what has come from the disk, or waits for all of it.</summary>
    void CompletePending(bool wait);
}
