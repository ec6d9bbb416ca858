namespace Faster;

/// <summary>
/// Marks the method that merges two deltas of a key, or a delta and a whole value: <c>static void F([key,] older, ref
/// newer)</c>; for bytes <c>static void F([key,] ReadOnlySpan&lt;byte&gt; older, ReadOnlySpan&lt;byte&gt; newer,
/// IBufferWriter&lt;byte&gt; merged)</c>. Its presence makes the store's values mergeable (CRDT; paper 000 §6.3).
/// </summary>
/// <remarks>
/// <para>A read-modify-write whose record is on disk then reads nothing: it appends a delta that the
/// <see cref="InitialUpdaterAttribute">InitialUpdater</see> makes, and reads merge the deltas. Three conditions must
/// hold. Merging is associative and commutative. The value that the InitialUpdater makes is a valid delta. Updating a
/// value equals merging it with such a delta: <c>update(value, input) = merge(value, initial(input))</c>.</para>
/// <para>The method must be free of side effects: the store calls it as often as it needs.</para>
/// </remarks>
[AttributeUsage(AttributeTargets.Method)]
public sealed class MergerAttribute : Attribute;
