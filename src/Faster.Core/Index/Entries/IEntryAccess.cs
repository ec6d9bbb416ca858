using Faster.Contracts;

namespace Faster.Index.Entries;

/// <summary>
/// How operations find and change the entries of an index, wherever these lie: in buckets, or in records that may be on
/// disk (paper 003 §6).
/// </summary>
/// <remarks>
/// <para>A type parameter of the algorithms: implementations are structs over an index, so that the JIT specializes the
/// algorithm for each and folds what one of them never answers.</para>
/// <para>What every implementation keeps, and the algorithms rely on:</para>
/// <list type="bullet">
/// <item>A hash has at most one entry, and all operations of the hash find it.</item>
/// <item><see cref="Insert"/>, <see cref="Replace"/> and <see cref="Remove"/> succeed only if the entry still is what
/// the last <see cref="Find"/> saw; each takes effect at one moment, or not at all.</item>
/// <item>An <see cref="EntryRef"/> can be used until its epoch is left.</item>
/// </list>
/// <para>Outcomes of the three: <see cref="Outcome.Ok"/>; <see cref="Outcome.Retry"/>, the entry has changed, and the
/// caller continues from <see cref="Find"/>; any other ends the attempt, as it does from <see cref="Locate"/> and
/// <see cref="Find"/>. Thread-safe, under the caller's epoch. No call waits.</para>
/// </remarks>
/// <typeparam name="TSelf">The implementation.</typeparam>
internal interface IEntryAccess<TSelf>
    where TSelf : struct, IEntryAccess<TSelf>
{
    /// <summary>The access to a tier's index.</summary>
    /// <exception cref="InvalidCastException">The index is of another kind.</exception>
    static abstract TSelf Of(ITierIndex index);

    /// <summary>Finds what holds the entry of a hash, once in an attempt.</summary>
    /// <param name="hash">The hash.</param>
    /// <param name="entry">
    /// What <see cref="Find"/> begins with. Its pin must be released before the epoch is left.
    /// </param>
    /// <returns>
    /// <see cref="Outcome.Ok"/>; <see cref="Outcome.IndexResizing"/>, with nothing pinned; or
    /// <see cref="Outcome.EntryOnDisk"/>.
    /// </returns>
    Outcome Locate(ulong hash, out EntryRef entry);

    /// <summary>Finds the entry, again as often as the caller needs.</summary>
    /// <param name="entry">The result of <see cref="Locate"/>.</param>
    /// <returns>
    /// <see cref="Outcome.Ok"/>: its <see cref="EntryRef.Address"/> leads to the hash chain.
    /// <see cref="Outcome.NotFound"/>: there is none. <see cref="Outcome.EntryOnDisk"/>: it is not in memory.
    /// </returns>
    Outcome Find(ref EntryRef entry);

    /// <summary>Inserts the entry that was not found.</summary>
    /// <param name="entry">The result of <see cref="Find"/>.</param>
    /// <param name="address">The address of a record that has been written, not 0.</param>
    /// <exception cref="LimitExceededException">The system refuses memory for it.</exception>
    Outcome Insert(in EntryRef entry, long address);

    /// <summary>Replaces the entry's address.</summary>
    /// <param name="entry">The result of <see cref="Find"/>.</param>
    /// <param name="address">The chain address of a record that has been written, not 0.</param>
    Outcome Replace(in EntryRef entry, long address);

    /// <summary>Removes an entry whose records are all dead.</summary>
    /// <param name="entry">The result of <see cref="Find"/>.</param>
    Outcome Remove(in EntryRef entry);

    /// <summary>
    /// Whether the entry serves keys that would have entries of their own if there were space for these: code that need
    /// not remove such an entry should not.
    /// </summary>
    bool IsShared(in EntryRef entry);
}
