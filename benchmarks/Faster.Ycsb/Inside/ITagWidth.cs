namespace Faster.Ycsb.Inside;

/// <summary>How many bits of a tag differ, as a constant for the JIT.</summary>
internal interface ITagWidth
{
    /// <summary>From 1 to all that the index has.</summary>
    static abstract int Bits { get; }
}
