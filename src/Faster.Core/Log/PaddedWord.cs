using System.Runtime.InteropServices;

namespace Faster.Log;

/// <summary>A word that many threads write, alone on its cache lines.</summary>
[StructLayout(LayoutKind.Explicit, Size = 192)]
internal struct PaddedWord
{
    /// <summary>The word.</summary>
    [FieldOffset(64)] public ulong Value;
}
