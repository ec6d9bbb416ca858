using System.ComponentModel;

namespace Faster.Contracts;

/// <summary>What an interface's member does in a fake that does not implement it.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class FakeMember
{
    /// <summary>Makes the exception.</summary>
    public static NotSupportedException NotImplemented() => new("The fake does not implement it.");
}
