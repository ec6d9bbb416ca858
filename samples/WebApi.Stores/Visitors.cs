using Faster;

namespace WebApi.Stores;

/// <summary>What is known of a visitor for an hour after the last visit.</summary>
[Store(Key = typeof(Guid), Value = typeof(string))]
public static partial class Visitors;
