namespace Faster.Ycsb.Engines.Tables;

/// <summary>
/// A table of longs: a struct, so that the JIT compiles workers for each and its calls are calls of the table.
/// </summary>
internal unsafe interface IWordTable
{
    /// <summary>For messages.</summary>
    static abstract string Name { get; }

    /// <summary>Finds a key's value; null if it is not there.</summary>
    long* Find(long key);

    /// <summary>Adds a key that is not there.</summary>
    void Insert(long key, long word);
}
