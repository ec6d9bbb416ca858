namespace Faster.SideBySide;

/// <summary>The square of each number.</summary>
[Store(Key = typeof(long), Value = typeof(long))]
internal static partial class Squares;
