using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>
/// The keys of a transaction's records, in the order of its parameters. Implementations are structs or ref structs,
/// written by the generator. A key may be there twice: it is one record, with the stronger access of the two.
/// </summary>
/// <typeparam name="TKey">The type of the keys.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface IKeySet<TKey>
    where TKey : struct, IKey, allows ref struct
{
    /// <summary>The number of keys if it is the same in every call of the transaction; 0 if it varies.</summary>
    static abstract int FixedCount { get; }

    /// <summary>Whether no key of the transaction is written.</summary>
    static abstract bool IsReadOnly { get; }

    /// <summary>The number of keys; 0 only if all of them are of sets, and these are empty.</summary>
    int Count { get; }

    /// <summary>Returns a key.</summary>
    TKey GetKey(int index);

    /// <summary>Returns what the transaction may do with a key's record.</summary>
    RecordAccess GetAccess(int index);
}
